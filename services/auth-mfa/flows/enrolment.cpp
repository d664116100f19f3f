#include "flows/enrolment.hpp"

#include "core/json_writer.hpp"
#include "domain/errors.hpp"
#include "domain/recovery_code.hpp"
#include "flows/account_events.hpp"
#include "flows/fresh_authentication.hpp"
#include "flows/signed_in_user.hpp"
#include "pg/database.hpp"
#include "storage/sessions.hpp"
#include "storage/trusted_devices.hpp"
#include "storage/users.hpp"
#include "tenancy/directory.hpp"
#include "tokens/tokens.hpp"

namespace auth_mfa {

namespace {

/// The identity provider of the sign-in that the enrolment token continues; nullopt after a password. Throws
/// UNAUTHORIZED if the tenant has removed the provider since the sign-in.
asio::awaitable<std::optional<std::string>> provider_of_enrolment(http::Request const& req, Deps& deps)
{
    auto const wanted = Tokens::read_enrolment(req.caller().session_id).value().provider_hash;
    if (!wanted) co_return std::nullopt;
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    for (auto const& provider : identity_providers_of(*tenant, req.scope().environment())) {
        if (Tokens::hash_of_provider(provider.key()) == *wanted) co_return provider.key();
    }
    throw session_ended();
}

/// The sign-in that an enrolment token continues with `factor`; nullopt for an access token. It throws before
/// the factor is stored if no session could be opened afterwards.
asio::awaitable<std::optional<SignIn>> sign_in_of_enrolment(
    http::Request const& req, Deps& deps, std::string_view factor)
{
    if (req.caller().kind != core::Access::enrolment) co_return std::nullopt;
    co_await deps.tokens.ready();
    auto const provider = co_await provider_of_enrolment(req, deps);
    auto const method = core::parse_enum<MfaMethod>(factor).value();
    co_return SignIn{.amr = {provider ? "fed" : "pwd", amr_of(method), "mfa"},
        .aal2 = true,
        .identity_provider = provider};
}

} // namespace

http::Response recovery_codes_response(std::vector<std::string> const& codes)
{
    core::JsonWriter w;
    w.begin_object().member("recoveryCodes", codes).end_object();
    return http::Response::ok(std::move(w).str()).header("Cache-Control", "no-store");
}

void require_password(User const& user)
{
    if (!user.has_password())
        throw core::Error(codes::mfa_password_required, "The account has no password, because its user "
                                                        "signs in through an identity provider. Set up "
                                                        "the second factor at that provider.");
}

HashingTurn hashing_turn_for_recovery_codes(Deps& deps, core::Scope const& scope, User const& user)
{
    return user.has_factor() ? std::nullopt : HashingTurn(deps.passwords.reserve(scope.id));
}

asio::awaitable<NewRecoveryCodes> NewRecoveryCodes::make(Deps& deps, crypto::PasswordHasher::Reservation turn)
{
    NewRecoveryCodes made;
    for (auto const& code : make_recovery_codes()) {
        auto hash = co_await deps.passwords.hash(turn, core::Secret(code.secret));
        made.texts.push_back(code.text());
        made.hashed.push_back({code.locator, std::move(hash)});
    }
    co_return made;
}

asio::awaitable<Enrolled> enrol_factor(http::Request const& req, Deps& deps, std::string_view factor,
    HashingTurn turn, std::function<void(pg::Tx&, User const&)> write)
{
    AccountRules const rules = co_await account_rules(req, deps);
    auto sign_in = co_await sign_in_of_enrolment(req, deps, factor);
    NewRecoveryCodes codes;
    bool shown = false;
    std::optional<User> after; // with the version of the credentials that this change makes
    // Whether recovery codes are needed is certain only while the transaction holds the lock on the user's
    // row, but hashing the codes takes too long to hold the lock. So if codes are needed, the first run of
    // `put_in_force` returns false. Then the codes are hashed without the lock, and `put_in_force` runs
    // again.
    auto const put_in_force = [&](pg::Tx& tx) {
        begin_account_change(tx, req);
        User const user = lock_signed_in_user(tx, req, deps);
        require_second_factor(tx, req, user);
        shown = !user.has_factor();
        if (shown && codes.hashed.empty()) return false;
        write(tx, user);
        users::increment_credentials_version(tx, req.scope(), user.id);
        core::Time const now = deps.clock.now();
        if (shown) {
            recovery_codes::replace(tx, req.scope(), user.id, codes.hashed, now);
        } else {
            sessions::end_others(tx, req.scope(), user.id, session_id_of(req), now);
            trusted_devices::revoke_all(tx, req.scope(), user.id);
        }
        after = users::find(tx, req.scope(), user.id);
        announce_factor(tx, req, factor_added, user, factor, rules, now);
        return true;
    };
    if (!co_await deps.db.transact(req.scope(), put_in_force)) {
        if (!turn) turn.emplace(deps.passwords.reserve(req.scope().id));
        codes = co_await NewRecoveryCodes::make(deps, *std::move(turn));
        co_await deps.db.transact(req.scope(), put_in_force);
    }
    Enrolled enrolled;
    if (shown) enrolled.recovery_codes = std::move(codes.texts);
    if (!sign_in) co_return enrolled;
    sign_in->recovery_codes = enrolled.recovery_codes;
    enrolled.signed_in = co_await open_session(req, deps, after.value(), *sign_in);
    co_return enrolled;
}

http::Response enrolled_response(http::Request const& req, Deps const& deps, Enrolled const& enrolled)
{
    return enrolled.signed_in ? respond_with_tokens(req, deps, *enrolled.signed_in)
                              : recovery_codes_response(enrolled.recovery_codes);
}

void complete_removal(pg::Tx& tx, http::Request const& req, User const& before, std::string_view factor,
    AccountRules const& rules, core::Time now)
{
    core::Scope const& scope = req.scope();
    users::increment_credentials_version(tx, scope, before.id);
    if (!users::find(tx, scope, before.id).value().has_factor())
        recovery_codes::remove_all(tx, scope, before.id);
    trusted_devices::revoke_all(tx, scope, before.id);
    sessions::end_others(tx, scope, before.id, session_id_of(req), now);
    announce_factor(tx, req, factor_removed, before, factor, rules, now);
}

asio::awaitable<http::Response> disable_factor(http::Request const& req, Deps& deps, std::string_view factor,
    bool (*is_enrolled)(User const&), void (*write)(pg::Tx&, core::Scope const&, User const&))
{
    auto const require_enrolled = [&](User const& user) {
        if (!is_enrolled(user))
            throw setup_required("This factor is not enrolled, so it cannot be disabled. Get the enrolled "
                                 "factors from GET /v1/auth/mfa.");
    };
    std::string const code = parse_code(req);
    User const user = co_await signed_in_user(req, deps);
    require_enrolled(user);
    AccountRules const rules = co_await account_rules(req, deps);
    VerifiedCode const verified = co_await require_code(req, deps, user.id, code);
    co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        begin_account_change(tx, req);
        User const locked = lock_signed_in_user(tx, req, deps);
        require_enrolled(locked);
        core::Time const now = deps.clock.now();
        if (!consume(tx, req.scope(), locked.id, verified, now)) throw invalid_code();
        write(tx, req.scope(), locked);
        complete_removal(tx, req, locked, factor, rules, now);
    });
    co_return http::Response::ok(R"({"disabled":true})");
}

} // namespace auth_mfa
