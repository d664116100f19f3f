#include "api/challenges.hpp"

#include "core/fields.hpp"
#include "domain/errors.hpp"
#include "domain/mfa_method.hpp"
#include "domain/public_suffix.hpp"
#include "domain/trusted_device.hpp"
#include "flows/activity.hpp"
#include "flows/factor_codes.hpp"
#include "flows/guess_origin.hpp"
#include "flows/passkeys.hpp"
#include "flows/sign_in.hpp"
#include "gateway/cors.hpp"
#include "pg/database.hpp"
#include "state/rate_limits.hpp"
#include "storage/trusted_devices.hpp"
#include "storage/users.hpp"
#include "tenancy/directory.hpp"

#include <array>

namespace auth_mfa {

namespace {

std::string parse_challenge(http::Request const& req)
{
    static constexpr std::array<std::string_view, 1> types{"oob"};
    static constexpr std::array<std::string_view, 1> channels{"sms"};
    core::Fields f(req.json());
    std::string token = f.text("mfa_token", 1, 128);
    f.one_of("challenge_type", types);
    f.one_of("oob_channel", channels);
    f.check();
    return token;
}

struct Verification {
    std::string token;
    MfaMethod method{};
    std::string code;                             ///< for all methods except `passkey`
    std::optional<webauthn::Assertion> assertion; ///< for `passkey`
    bool trust = false;

    static Verification parse(http::Request const& req)
    {
        core::Fields f(req.json());
        Verification v;
        v.token = f.text("mfa_token", 1, 128);
        v.method = f.one_of<MfaMethod>("method");
        if (v.method == MfaMethod::passkey)
            v.assertion = webauthn::read_assertion(f, "credential");
        else
            v.code = f.text("code", 1, 64);
        v.trust = f.optional_boolean("trustDevice").value_or(false);
        f.check();
        return v;
    }
};

struct Attempt : Challenges::Attempt {
    std::string_view refusal = wrong_code_detail; ///< the detail of the error if not `right`
};

/// Compares the code or checks the passkey, which is not a text message's. Consumes it if it is right.
/// `turn`: of hashing_turn_for.
asio::awaitable<void> check(http::Request const& req, Deps& deps, User const& user, HashingTurn const& turn,
    Verification const& v, Attempt& attempt)
{
    if (v.assertion) {
        auto const tried =
            co_await try_passkey(req, deps, *v.assertion, {.user_id = user.id, .user_verification = false});
        attempt.right = tried.right;
        attempt.refusal = tried.detail;
        co_return;
    }
    auto const verified = co_await verify_code(deps, req.scope(), user.id, v.method, turn, v.code);
    attempt.right = verified && co_await consume_code(req, deps, user.id, *verified);
}

/// Counts the attempt, compares the code or checks the passkey, and consumes the challenge if it is right.
asio::awaitable<Attempt> try_code(
    http::Request const& req, Deps& deps, User const& user, Challenge const& challenge, Verification const& v)
{
    auto& challenges = deps.challenges;
    if (v.method == MfaMethod::sms) {
        std::string const phone = user.phone_verified ? *user.phone : std::string();
        co_return Attempt{co_await challenges.try_code(challenge, phone, v.code)};
    }
    HashingTurn const turn = hashing_turn_for(deps, req.scope(), v.method);
    Attempt attempt;
    attempt.remaining = co_await challenges.count_attempt(challenge);
    co_await check(req, deps, user, turn, v, attempt);
    if (attempt.right && !co_await challenges.consume(challenge)) throw challenge_expired();
    co_return attempt;
}

/// Returns if the code or the passkey is right, else throws. If several requests present the same one, the
/// function returns for only one of them.
asio::awaitable<void> require_correct_code(
    http::Request const& req, Deps& deps, User const& user, Challenge const& challenge, Verification const& v)
{
    core::Scope const& scope = req.scope();
    auto& limits = deps.rate_limits;
    auto const origin = co_await guess_origin(req, deps, user.id);
    auto const reserved =
        co_await limits.require(RateLimits::wrong_codes_of_user(scope, user.id, v.method, origin));
    auto const attempt = co_await limits.or_give_back(reserved, try_code(req, deps, user, challenge, v));
    if (!attempt.right) {
        co_await record_refusal(req, deps, user.id, v.assertion ? wrong_passkey : "wrong_code");
        throw invalid_code(attempt.remaining, attempt.refusal);
    }
    co_await limits.give_back(reserved);
}

/// Whether a page of another site, whose origin the tenant allows, sent the request over https.
asio::awaitable<bool> is_from_other_site(http::Request const& req, Deps& deps)
{
    auto const origin = req.header("Origin").value_or("");
    if (!is_cross_site(origin, req.header("Host").value_or(""))) co_return false;
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    auto const& settings = tenant->settings(req.scope().environment());
    co_return gateway::cors::is_allowed(origin, settings.allowed_origins);
}

/// Stores the browser as trusted and adds its cookie to `signed_in`. If the browser cannot be stored, the
/// sign-in still succeeds, and the next sign-in requires the second factor again.
asio::awaitable<void> trust_device(http::Request const& req, Deps& deps, SignedIn& signed_in)
{
    User const& user = signed_in.user;
    auto const fresh = DeviceToken::make();
    auto const trust = [&](pg::Tx& tx) {
        // If the password or the factors have changed since the sign-in began, that change has revoked all
        // trusted devices. So no new trusted device is stored.
        auto const now = users::lock(tx, req.scope(), user.id);
        if (!now || !now->has_factor() || now->credentials_version != user.credentials_version) return false;
        trusted_devices::trust(
            tx, req.scope(), user.id, fresh, device_token_of(req), user_agent(req), deps.clock.now());
        record(tx, req, {.user_id = user.id, .type = "device_trusted", .action = "device.trusted"});
        return true;
    };
    try {
        bool const cross_site = co_await is_from_other_site(req, deps);
        if (co_await deps.db.transact(req.scope(), trust))
            signed_in.headers.emplace_back(
                "Set-Cookie", device_cookie(fresh, req.header("Host").value_or(""), cross_site));
    } catch (core::Error const&) { // NOLINT(bugprone-empty-catch): the database became unavailable
    }
}

SignIn sign_in_of(Challenge const& challenge, MfaMethod method)
{
    SignIn sign_in{.aal2 = true,
        .identity_provider = challenge.identity_provider,
        .with_user = false,
        .outdated = challenge_expired};
    for (auto const& word : challenge.amr)
        sign_in.amr.emplace_back(word);
    sign_in.amr.emplace_back(amr_of(method));
    sign_in.amr.emplace_back("mfa");
    return sign_in;
}

} // namespace

asio::awaitable<http::Response> send_challenge(http::Request const& req, Deps& deps)
{
    std::string const token = parse_challenge(req);
    auto const challenge = co_await deps.challenges.find(req.scope(), token);
    User const user = co_await challenged_user(deps, req.scope(), challenge);
    if (!user.phone_verified)
        throw setup_required("SMS is not a factor of this account. Continue with one of available_methods.");
    auto const send = co_await send_sign_in_code(req, deps, user, challenge);
    co_return sent_code_response(user, send);
}

asio::awaitable<SignedIn> verify_second_factor(http::Request const& req, Deps& deps)
{
    auto const v = Verification::parse(req);
    auto const challenge = co_await deps.challenges.find(req.scope(), v.token);
    User const user = co_await challenged_user(deps, req.scope(), challenge);
    // Requires a signing key before the code is consumed, because no session can be opened without one.
    co_await deps.tokens.ready();
    co_await require_correct_code(req, deps, user, challenge, v);
    auto signed_in = co_await open_session(req, deps, user, sign_in_of(challenge, v.method));
    if (v.trust) co_await trust_device(req, deps, signed_in);
    co_return signed_in;
}

asio::awaitable<http::Response> verify_challenge(http::Request const& req, Deps& deps)
{
    co_return respond_with_tokens(req, deps, co_await verify_second_factor(req, deps));
}

} // namespace auth_mfa
