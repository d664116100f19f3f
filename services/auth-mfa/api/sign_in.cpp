#include "api/sign_in.hpp"

#include "api/proof.hpp"
#include "api/text_codes.hpp"
#include "core/fields.hpp"
#include "core/json_writer.hpp"
#include "domain/device.hpp"
#include "domain/errors.hpp"
#include "domain/message.hpp"
#include "mfa.hpp"
#include "storage/recovery_codes.hpp"
#include "storage/trusted_devices.hpp"
#include "storage/users.hpp"

#include <array>

namespace auth_mfa {

namespace {

std::optional<DeviceToken> device_of(http::Request const& req)
{
    return DeviceToken::from_cookies(req.header("Cookie").value_or(""));
}

/// The facts that decide how the sign-in of a user with a second factor continues.
struct Standing {
    bool trusted = false;     ///< whether the user trusts this browser
    bool can_recover = false; ///< whether the user has unused recovery codes
};

asio::awaitable<Standing> standing_of(http::Request const& req, Deps& deps, core::Uuid user_id)
{
    auto const device = device_of(req);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        Standing standing;
        standing.trusted =
            device && trusted_devices::recognise(tx, req.scope(), user_id, *device, deps.clock.now());
        standing.can_recover = !standing.trusted && recovery_codes::count(tx, req.scope(), user_id) > 0;
        return standing;
    });
}

core::Error mfa_required(std::string const& token, User const& user, bool can_recover)
{
    boost::json::array available;
    if (user.phone_verified) available.emplace_back(to_string(Method::sms));
    if (user.totp) available.emplace_back(to_string(Method::totp));
    if (can_recover) available.emplace_back(to_string(Method::recovery_code));
    return core::Error(
        codes::mfa_required, "A second factor is required. Continue with one of available_methods.")
        .header("Cache-Control", "no-store")
        .member("mfa_token", boost::json::value(token))
        .member("available_methods", std::move(available));
}

/// The user's phone number. Throws MFA_SMS_UNDELIVERABLE if the stored number is no longer valid, for example
/// because calling codes have changed.
sms::PhoneNumber phone_of(User const& user)
{
    auto phone = sms::PhoneNumber::parse(user.phone.value_or(""));
    if (!phone)
        throw core::Error(codes::mfa_sms_undeliverable,
            "The phone number cannot receive text messages. Use another number or method.");
    return *std::move(phone);
}

/// Passes a message to the provider, and counts the message against the limits of the account and the phone.
/// A message that was certainly not sent is not counted.
asio::awaitable<Delivery> hand_over(http::Request const& req, Deps& deps, core::Uuid user_id,
    sms::PhoneNumber const& phone, std::string const& code)
{
    auto& mfa = deps.mfa;
    auto const reserved = co_await mfa.budgets.require(mfa.budgets.login_send(req.scope(), user_id, phone));
    auto const delivery = co_await mfa.budgets.or_give_back(
        reserved, send_text(req, deps, phone, code, Texts::Purpose::urgent));
    if (delivery.surely_not_sent()) co_await mfa.budgets.give_back(reserved);
    co_return delivery;
}

/// Sends a code to the user's phone and makes it the challenge's current code. Throws MFA_SMS_UNDELIVERABLE,
/// MFA_RATE_LIMITED or UNAVAILABLE if the code is not sent. In these cases the previous code stays valid,
/// unless the new code may have been delivered. A send that the provider refused stays counted. A send that
/// never reached the provider is not counted.
asio::awaitable<Challenges::Send> send_code(
    http::Request const& req, Deps& deps, User const& user, Challenge const& challenge)
{
    auto& mfa = deps.mfa;
    auto const phone = phone_of(user);
    co_await require_reachable(req, deps, phone);
    std::string const code = make_code();
    auto send = co_await mfa.challenges.count_send(challenge, phone.text(), code);
    auto const delivery =
        co_await mfa.challenges.or_take_back(challenge, send, hand_over(req, deps, user.id, phone, code));
    if (delivery.surely_not_sent())
        co_await mfa.challenges.take_back(challenge, send);
    else if (!delivery.may_arrive())
        co_await mfa.challenges.put_code_back(challenge, send);
    delivery.require_sent();
    co_return send;
}

/// The user of a challenge. Throws MFA_CHALLENGE_EXPIRED when the user's credentials changed after the first
/// factor.
asio::awaitable<User> user_of(Deps& deps, core::Scope const& scope, Challenge const& challenge)
{
    auto user = co_await deps.hot.find_user.run({scope.id, challenge.user_id});
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
    Method method{};
    std::string code;
    bool trust = false;

    static Verification parse(http::Request const& req)
    {
        core::Fields f(req.json());
        Verification v;
        v.token = f.text("mfa_token", 1, 128);
        v.method = static_cast<Method>(f.one_of("method", methods));
        v.code = f.text("code", 1, 64);
        v.trust = f.optional_boolean("trustDevice").value_or(false);
        f.check();
        return v;
    }
};

/// Counts the attempt, compares the code, and consumes the challenge if the code is correct.
asio::awaitable<Challenges::Attempt> attempt(
    Deps& deps, core::Scope const& scope, User const& user, Challenge const& challenge, Verification const& v)
{
    auto& challenges = deps.mfa.challenges;
    if (v.method == Method::sms) {
        std::string const phone = user.phone_verified ? *user.phone : std::string();
        co_return co_await challenges.try_code(challenge, phone, v.code);
    }
    Turn const turn = turn_for(deps, scope, v.method);
    Challenges::Attempt attempt;
    attempt.remaining = co_await challenges.count_attempt(challenge);
    auto const proof = co_await examine(deps, scope, user.id, v.method, turn, v.code);
    if (!proof) co_return attempt;
    attempt.right = co_await deps.db.transact(
        scope, [&](pg::Tx& tx) { return use(tx, scope, user.id, *proof, deps.clock.now()); });
    if (attempt.right && !co_await challenges.consume(challenge)) throw challenge_expired();
    co_return attempt;
}

/// Returns if the code is correct, else throws. If several requests present the same code, the function
/// returns for only one of them.
asio::awaitable<void> pass(
    Deps& deps, core::Scope const& scope, User const& user, Challenge const& challenge, Verification const& v)
{
    auto& budgets = deps.mfa.budgets;
    auto const reserved = co_await budgets.require({Budgets::wrong(scope, user.id, v.method)});
    auto const made = co_await budgets.or_give_back(reserved, attempt(deps, scope, user, challenge, v));
    if (!made.right) throw invalid_code(made.remaining);
    co_await budgets.give_back(reserved);
}

/// Stores the browser as trusted and adds its cookie to the response. If the browser cannot be stored, the
/// sign-in still succeeds, and the next sign-in requires the second factor again.
asio::awaitable<void> trust_device(
    http::Request const& req, Deps& deps, User const& user, http::Response& response)
{
    auto const fresh = DeviceToken::make();
    auto const trust = [&](pg::Tx& tx) {
        // If the password or the factors have changed since the sign-in began, that change has revoked all
        // trusted devices. So no new one is stored.
        auto const now = users::lock(tx, req.scope(), user.id);
        if (!now || !now->has_factor() || now->credentials_version != user.credentials_version) return false;
        trusted_devices::trust(
            tx, req.scope(), user.id, fresh, device_of(req), user_agent(req), deps.clock.now());
        return true;
    };
    try {
        if (co_await deps.db.transact(req.scope(), trust))
            response.headers.emplace_back(
                "Set-Cookie", device_cookie(fresh, req.header("Host").value_or("")));
    } catch (core::Error const&) { // NOLINT(bugprone-empty-catch): the database became unavailable
    }
}

SignIn sign_in_of(Challenge const& challenge, Method method)
{
    SignIn sign_in{.with_user = false, .outdated = challenge_expired};
    for (auto const& word : challenge.amr)
        sign_in.amr.emplace_back(word);
    sign_in.amr.emplace_back(method == Method::sms ? "sms" : "otp");
    sign_in.amr.emplace_back("mfa");
    return sign_in;
}

} // namespace

asio::awaitable<http::Response> finish_sign_in(
    http::Request const& req, Deps& deps, User const& user, SignIn const& sign_in)
{
    if (!user.has_factor()) co_return co_await open_session(req, deps, user, sign_in);
    Standing const standing = co_await standing_of(req, deps, user.id);
    if (standing.trusted) co_return co_await open_session(req, deps, user, sign_in);
    auto const created = co_await deps.mfa.challenges.create(
        req.scope(), user.id, user.credentials_version, {sign_in.amr.begin(), sign_in.amr.end()});
    if (user.phone_verified && !user.totp) {
        try {
            co_await send_code(req, deps, user, created.challenge);
        } catch (core::Error const&) { // NOLINT(bugprone-empty-catch): /v1/auth/mfa/challenge returns it
        } catch (std::exception const& error) {
            deps.logger.warn("could not send the SMS code of a sign-in",
                {{"error", observe::first_line(error.what())}, {"tenant", req.scope().slug},
                    {"requestId", req.context.request_id}, {"traceId", req.context.trace_id}});
        }
    }
    throw mfa_required(created.token, user, standing.can_recover);
}

asio::awaitable<http::Response> send_challenge(http::Request const& req, Deps& deps)
{
    std::string const token = parse_challenge(req);
    auto const challenge = co_await deps.mfa.challenges.find(req.scope(), token);
    User const user = co_await user_of(deps, req.scope(), challenge);
    if (!user.phone_verified)
        throw setup_required("SMS is not a factor of this account. Continue with one of available_methods.");
    auto const send = co_await send_code(req, deps, user, challenge);
    core::JsonWriter w;
    w.begin_object()
        .member("challengeType", "oob")
        .member("oobChannel", "sms")
        .member("phone", phone_of(user).masked())
        .member("sendsRemaining", send.remaining)
        .member("expiresIn", send.expires_in.count())
        .end_object();
    co_return http::Response::ok(std::move(w).str());
}

asio::awaitable<http::Response> verify_challenge(http::Request const& req, Deps& deps)
{
    auto const v = Verification::parse(req);
    auto const challenge = co_await deps.mfa.challenges.find(req.scope(), v.token);
    User const user = co_await user_of(deps, req.scope(), challenge);
    // Requires a signing key before the code is consumed, because no session can be opened without one.
    co_await deps.tokens.ready();
    co_await pass(deps, req.scope(), user, challenge, v);
    auto response = co_await open_session(req, deps, user, sign_in_of(challenge, v.method));
    if (v.trust) co_await trust_device(req, deps, user, response);
    co_return response;
}

} // namespace auth_mfa
