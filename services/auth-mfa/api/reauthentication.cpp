#include "api/reauthentication.hpp"

#include "api/credentials.hpp"
#include "core/fields.hpp"
#include "core/json_writer.hpp"
#include "crypto/password.hpp"
#include "domain/errors.hpp"
#include "domain/mfa_method.hpp"
#include "domain/settings.hpp"
#include "flows/activity.hpp"
#include "flows/factor_codes.hpp"
#include "flows/guess_origin.hpp"
#include "flows/id_tokens.hpp"
#include "flows/open_session.hpp"
#include "flows/passkeys.hpp"
#include "flows/sign_in.hpp"
#include "flows/signed_in_user.hpp"
#include "pg/database.hpp"
#include "state/rate_limits.hpp"
#include "storage/identities.hpp"
#include "storage/users.hpp"
#include "tenancy/directory.hpp"

#include <array>
#include <functional>

namespace auth_mfa {

namespace {

/// The body: exactly one of the four proofs.
struct Proof {
    std::optional<SentPassword> password;
    std::optional<MfaMethod> method;
    std::string code;
    std::optional<webauthn::Assertion> assertion; ///< of a passkey
    std::optional<PresentedIdToken> id_token;

    static Proof parse(http::Request const& req)
    {
        core::Fields f(req.json());
        Proof proof;
        bool const has_code = f.has("method") || f.has("code");
        int const given =
            int{f.has("password")} + int{has_code} + int{f.has("credential")} + int{f.has("idToken")};
        if (given != 1)
            f.fault("password", "one_of",
                "must be the only proof: send exactly one of `password`, `method` with `code`, `credential`, "
                "or `idToken`");
        if (f.has("password")) proof.password = read_password(f, "password");
        if (has_code) {
            static constexpr std::array methods{
                to_string(MfaMethod::sms), to_string(MfaMethod::totp), to_string(MfaMethod::recovery_code)};
            proof.method = static_cast<MfaMethod>(f.one_of("method", methods));
            proof.code = f.text("code", 1, 64);
        }
        if (f.has("credential")) proof.assertion = webauthn::read_assertion(f, "credential");
        if (f.has("idToken")) proof.id_token = PresentedIdToken::read(f);
        f.check();
        return proof;
    }
};

/// The result of a proof: the methods to add to the session's `amr`, and the checks that run in the
/// transaction that changes the session.
struct Proved {
    std::vector<std::string> amr;
    bool aal2 = false;
    std::function<void(pg::Tx&)> use_up{};
};

constexpr RefusedEvent refused{"reauthentication", "session.reauthentication_refused"};

/// A wrong password counts like one at sign-in.
asio::awaitable<Proved> prove_password(
    http::Request const& req, Deps& deps, User const& user, SentPassword const& password)
{
    auto const origin = co_await guess_origin(req, deps, user.id);
    auto const turn = deps.passwords.reserve(req.scope().id);
    auto& limits = deps.rate_limits;
    auto const right =
        co_await limits.try_guess(RateLimits::wrong_passwords_for_email(req.scope(), user.email, origin),
            guess_password(req, deps, turn, user, password));
    if (!right) {
        co_await record_refusal(req, deps, user.id, "wrong_password", refused);
        throw invalid_credentials();
    }
    co_return Proved{.amr = {"pwd"}};
}

/// A code that was sent for this session.
asio::awaitable<bool> is_sent_code(
    http::Request const& req, Deps& deps, User const& user, std::string const& code)
{
    if (!user.phone_verified) co_return false;
    auto const challenge = deps.challenges.for_session(req.scope(), session_id_of(req), user.id);
    auto const attempt = co_await deps.challenges.try_code(challenge, *user.phone, code);
    co_return attempt.right;
}

asio::awaitable<bool> is_right_code(
    http::Request const& req, Deps& deps, User const& user, Proof const& proof)
{
    if (proof.method == MfaMethod::sms) co_return co_await is_sent_code(req, deps, user, proof.code);
    HashingTurn const turn = hashing_turn_for(deps, req.scope(), *proof.method);
    auto const verified = co_await verify_code(deps, req.scope(), user.id, *proof.method, turn, proof.code);
    co_return verified&& co_await consume_code(req, deps, user.id, *verified);
}

asio::awaitable<Proved> prove_code(http::Request const& req, Deps& deps, User const& user, Proof const& proof)
{
    auto& limits = deps.rate_limits;
    auto const origin = co_await guess_origin(req, deps, user.id);
    auto const reserved =
        co_await limits.require(RateLimits::wrong_codes_of_user(req.scope(), user.id, *proof.method, origin));
    if (!co_await limits.or_give_back(reserved, is_right_code(req, deps, user, proof))) {
        co_await record_refusal(req, deps, user.id, "wrong_code", refused);
        throw invalid_code();
    }
    co_await limits.give_back(reserved);
    co_return Proved{.amr = {std::string(amr_of(*proof.method)), "mfa"}, .aal2 = true};
}

asio::awaitable<Proved> prove_passkey(
    http::Request const& req, Deps& deps, User const& user, webauthn::Assertion const& assertion)
{
    auto& limits = deps.rate_limits;
    auto const reserved = co_await limits.require(
        {RateLimits::wrong_sign_ins_from_network(req.scope(), req.remote_address)}, too_many_attempts);
    auto const attempt =
        co_await limits.or_give_back(reserved, try_passkey(req, deps, assertion, {.user_id = user.id}));
    if (!attempt.right) {
        co_await record_refusal(req, deps, user.id, wrong_passkey, refused);
        throw refused_passkey(attempt.detail);
    }
    co_await limits.give_back(reserved);
    co_return Proved{.amr = {std::string(amr_of(MfaMethod::passkey)), "mfa"}, .aal2 = true};
}

core::Error refused_identity()
{
    return {codes::invalid_credentials, "The token in `idToken` was refused. Send a token of an identity "
                                        "that is linked to this account, issued "
                                        "after the last authentication of the session."};
}

/// Whether the identity is linked to the user, and its token was issued after the last authentication of the
/// session.
bool proves(pg::Tx& tx, http::Request const& req, UserId user_id, ExternalIdentity const& identity)
{
    auto const owner = identities::find_user(tx, req.scope(), identity.issuer, identity.subject);
    if (!owner || owner->id != user_id) return false;
    auto const session = sessions::token_contents(tx, req.scope(), session_id_of(req));
    return identity.issued_at > session.assurance.authenticated_at;
}

asio::awaitable<Proved> prove_identity(
    http::Request const& req, Deps& deps, User const& user, ExternalIdentity const& identity)
{
    bool const right =
        co_await deps.db.read(req.scope(), [&](pg::Tx& tx) { return proves(tx, req, user.id, identity); });
    if (!right) {
        co_await deps.rate_limits.require(
            {RateLimits::wrong_sign_ins_from_network(req.scope(), req.remote_address)}, too_many_attempts);
        co_await record_refusal(req, deps, user.id, "wrong_identity", refused);
        throw refused_identity();
    }
    auto use_up = [&req, identity, id = user.id](pg::Tx& tx) {
        if (!proves(tx, req, id, identity)) throw refused_identity();
        require_unused(tx, req, identity);
    };
    co_return Proved{.amr = {"fed"}, .use_up = std::move(use_up)};
}

asio::awaitable<Proved> prove_id_token(
    http::Request const& req, Deps& deps, User const& user, PresentedIdToken const& presented)
{
    auto const identity = co_await require_identity(req, deps, presented);
    co_return co_await prove_identity(req, deps, user, identity);
}

asio::awaitable<Proved> prove(http::Request const& req, Deps& deps, User const& user, Proof const& proof)
{
    if (proof.password) return prove_password(req, deps, user, *proof.password);
    if (proof.method) return prove_code(req, deps, user, proof);
    if (proof.assertion) return prove_passkey(req, deps, user, *proof.assertion);
    return prove_id_token(req, deps, user, *proof.id_token);
}

/// Throws if the session could not be refreshed either.
void require_refreshable(
    tenancy::Tenant const& tenant, core::Environment environment, sessions::TokenContents const& contents)
{
    if (!trusts(tenant, environment, contents.identity_provider)) throw session_ended();
    if (account_rules_of(tenant, environment).verified_only && !contents.email_verified)
        throw email_not_verified();
}

/// Changes the session, and returns the contents of its next access token.
asio::awaitable<sessions::TokenContents> renew(http::Request const& req, Deps& deps, Proved const& proved)
{
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const user = lock_signed_in_user(tx, req, deps);
        if (proved.use_up) proved.use_up(tx);
        auto updated = sessions::reauthenticate(
            tx, req.scope(), session_id_of(req), proved.amr, proved.aal2, deps.clock.now())
                           .value();
        require_refreshable(*tenant, req.scope().environment(), updated);
        record(
            tx, req, {.user_id = user.id, .type = "reauthentication", .action = "session.reauthenticated"});
        return updated;
    });
}

/// Call after `deps.tokens.ready()`.
http::Response respond_with_access_token(
    http::Request const& req, Deps const& deps, sessions::TokenContents const& contents)
{
    core::JsonWriter w(1024);
    w.begin_object()
        .member("accessToken", deps.tokens.access_token(req.scope(), claims_of(contents)))
        .member("expiresIn", access_token_lifetime.count())
        .end_object();
    return http::Response::ok(std::move(w).str()).header("Cache-Control", "no-store");
}

} // namespace

asio::awaitable<sessions::TokenContents> reauthenticate_session(http::Request const& req, Deps& deps)
{
    Proof const proof = Proof::parse(req);
    User const user = co_await signed_in_user(req, deps);
    co_await deps.tokens.ready();
    Proved const proved = co_await prove(req, deps, user, proof);
    co_return co_await renew(req, deps, proved);
}

asio::awaitable<sessions::TokenContents> reauthenticate_with_identity(
    http::Request const& req, Deps& deps, ExternalIdentity const& identity)
{
    User const user = co_await signed_in_user(req, deps);
    Proved const proved = co_await prove_identity(req, deps, user, identity);
    co_return co_await renew(req, deps, proved);
}

asio::awaitable<http::Response> reauthenticate(http::Request const& req, Deps& deps)
{
    co_return respond_with_access_token(req, deps, co_await reauthenticate_session(req, deps));
}

asio::awaitable<http::Response> send_reauthentication_code(http::Request const& req, Deps& deps)
{
    User const user = co_await signed_in_user(req, deps);
    if (!user.phone_verified)
        throw setup_required("SMS is not a factor of this account. Use another method.");
    auto const challenge = co_await deps.challenges.open_for_session(req.scope(), session_id_of(req),
        {.key = {}, .user_id = user.id, .credentials_version = user.credentials_version});
    auto const send = co_await send_sign_in_code(req, deps, user, challenge);
    co_return sent_code_response(user, send);
}

} // namespace auth_mfa
