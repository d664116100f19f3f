#include "api/challenges.hpp"

#include "batchers.hpp"
#include "core/fields.hpp"
#include "domain/errors.hpp"
#include "domain/mfa_method.hpp"
#include "domain/trusted_device.hpp"
#include "flows/activity.hpp"
#include "flows/factor_codes.hpp"
#include "flows/sign_in.hpp"
#include "pg/database.hpp"
#include "state/rate_limits.hpp"
#include "storage/trusted_devices.hpp"
#include "storage/users.hpp"

#include <array>

namespace auth_mfa {

namespace {

/// The user of a challenge. Throws MFA_CHALLENGE_EXPIRED when the user's credentials changed after the first
/// factor.
asio::awaitable<User> challenged_user(Deps& deps, core::Scope const& scope, Challenge const& challenge)
{
    auto user = co_await deps.batchers.find_user.run({scope.id, challenge.user_id});
    if (!user || user->credentials_version != challenge.credentials_version) throw challenge_expired();
    co_return std::move(*user);
}

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
    std::string code;
    bool trust = false;

    static Verification parse(http::Request const& req)
    {
        core::Fields f(req.json());
        Verification v;
        v.token = f.text("mfa_token", 1, 128);
        v.method = f.one_of<MfaMethod>("method");
        v.code = f.text("code", 1, 64);
        v.trust = f.optional_boolean("trustDevice").value_or(false);
        f.check();
        return v;
    }
};

/// Counts the attempt, compares the code, and consumes the challenge if the code is correct.
asio::awaitable<Challenges::Attempt> try_code(
    http::Request const& req, Deps& deps, User const& user, Challenge const& challenge, Verification const& v)
{
    core::Scope const& scope = req.scope();
    auto& challenges = deps.challenges;
    if (v.method == MfaMethod::sms) {
        std::string const phone = user.phone_verified ? *user.phone : std::string();
        co_return co_await challenges.try_code(challenge, phone, v.code);
    }
    HashingTurn const turn = hashing_turn_for(deps, scope, v.method);
    Challenges::Attempt attempt;
    attempt.remaining = co_await challenges.count_attempt(challenge);
    auto const verified = co_await verify_code(deps, scope, user.id, v.method, turn, v.code);
    if (!verified) co_return attempt;
    attempt.right = co_await consume_code(req, deps, user.id, *verified);
    if (attempt.right && !co_await challenges.consume(challenge)) throw challenge_expired();
    co_return attempt;
}

/// Returns if the code is correct, else throws. If several requests present the same code, the function
/// returns for only one of them.
asio::awaitable<void> require_correct_code(
    http::Request const& req, Deps& deps, User const& user, Challenge const& challenge, Verification const& v)
{
    core::Scope const& scope = req.scope();
    auto& limits = deps.rate_limits;
    auto const reserved =
        co_await limits.require({RateLimits::wrong_codes_of_user(scope, user.id, v.method)});
    auto const attempt = co_await limits.or_give_back(reserved, try_code(req, deps, user, challenge, v));
    if (!attempt.right) {
        co_await record_refusal(req, deps, user.id, "wrong_code");
        throw invalid_code(attempt.remaining);
    }
    co_await limits.give_back(reserved);
}

/// Stores the browser as trusted and adds its cookie to the response. If the browser cannot be stored, the
/// sign-in still succeeds, and the next sign-in requires the second factor again.
asio::awaitable<void> trust_device(
    http::Request const& req, Deps& deps, User const& user, http::Response& response)
{
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
        if (co_await deps.db.transact(req.scope(), trust))
            response.headers.emplace_back(
                "Set-Cookie", device_cookie(fresh, req.header("Host").value_or("")));
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

asio::awaitable<http::Response> verify_challenge(http::Request const& req, Deps& deps)
{
    auto const v = Verification::parse(req);
    auto const challenge = co_await deps.challenges.find(req.scope(), v.token);
    User const user = co_await challenged_user(deps, req.scope(), challenge);
    // Requires a signing key before the code is consumed, because no session can be opened without one.
    co_await deps.tokens.ready();
    co_await require_correct_code(req, deps, user, challenge, v);
    auto response = co_await open_session(req, deps, user, sign_in_of(challenge, v.method));
    if (v.trust) co_await trust_device(req, deps, user, response);
    co_return response;
}

} // namespace auth_mfa
