#include "flows/sign_in.hpp"

#include "batchers.hpp"
#include "core/json_writer.hpp"
#include "domain/errors.hpp"
#include "domain/mfa_method.hpp"
#include "flows/account_events.hpp"
#include "flows/activity.hpp"
#include "flows/sms_codes.hpp"
#include "pg/database.hpp"
#include "storage/recovery_codes.hpp"
#include "storage/trusted_devices.hpp"

namespace auth_mfa {

namespace {

/// The facts that decide how the sign-in of a user with a second factor continues.
struct SecondFactor {
    bool trusted = false;     ///< whether the user trusts this browser
    bool can_recover = false; ///< whether the user has unused recovery codes
};

asio::awaitable<SecondFactor> second_factor_of(http::Request const& req, Deps& deps, UserId user_id)
{
    auto const device = device_token_of(req);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        SecondFactor second;
        second.trusted =
            device && trusted_devices::recognise(tx, req.scope(), user_id, *device, deps.clock.now());
        second.can_recover = !second.trusted && recovery_codes::count(tx, req.scope(), user_id) > 0;
        return second;
    });
}

/// Throws ACCOUNT_DISABLED or EMAIL_NOT_VERIFIED if the account may not sign in now. The first factor was
/// correct.
asio::awaitable<void> require_admitted(
    http::Request const& req, Deps& deps, User const& user, AccountRules const& rules)
{
    if (user.status == UserStatus::disabled) {
        co_await record_refusal(req, deps, user.id, "account_disabled");
        throw account_disabled();
    }
    if (rules.verified_only && !user.email_verified) {
        co_await record_refusal(req, deps, user.id, "email_not_verified");
        throw email_not_verified();
    }
}

core::Error enrolment_required(std::string const& token)
{
    return core::Error(codes::mfa_enrollment_required,
        "Your account needs a second factor. Send `enrollment_token` as the bearer token of the set-up and "
        "confirm routes of one of available_methods.")
        .header("Cache-Control", "no-store")
        .member("enrollment_token", boost::json::value(token))
        .member("available_methods", boost::json::array{to_string(MfaMethod::sms), to_string(MfaMethod::totp),
                                         to_string(MfaMethod::passkey)});
}

core::Error mfa_required(std::string const& token, User const& user, bool can_recover)
{
    boost::json::array available;
    if (user.phone_verified) available.emplace_back(to_string(MfaMethod::sms));
    if (user.totp) available.emplace_back(to_string(MfaMethod::totp));
    if (user.passkey) available.emplace_back(to_string(MfaMethod::passkey));
    if (can_recover) available.emplace_back(to_string(MfaMethod::recovery_code));
    return core::Error(
        codes::mfa_required, "A second factor is required. Continue with one of available_methods.")
        .header("Cache-Control", "no-store")
        .member("mfa_token", boost::json::value(token))
        .member("available_methods", std::move(available));
}

/// Sends the code, and counts the message against the limits of the account and the phone. A refusal because
/// the phone cannot be reached is not counted.
asio::awaitable<SmsDelivery> reserve_and_send(http::Request const& req, Deps& deps, UserId user_id,
    sms::PhoneNumber const& phone, SmsCodeSender::NewCode const& code)
{
    auto& limits = deps.rate_limits;
    auto const reserved = co_await limits.require(
        RateLimits::sign_in_code_sends(req.scope(), user_id, phone, code.destination));
    co_return co_await send_sms_code(req, deps, reserved, phone, code);
}

/// Sends a code that the client has not requested. If the send fails, the client can request a code. The
/// response to that request contains the error.
asio::awaitable<void> try_to_send_code(
    http::Request const& req, Deps& deps, User const& user, Challenge const& challenge)
{
    try {
        co_await send_sign_in_code(req, deps, user, challenge);
    } catch (core::Error const&) { // NOLINT(bugprone-empty-catch): the client can request a code
    } catch (std::exception const& error) {
        deps.logger.warn("could not send the SMS code of a sign-in",
            {{"error", observe::first_line(error.what())}, {"tenant", req.scope().slug},
                {"requestId", req.context.request_id}, {"traceId", req.context.trace_id}});
    }
}

} // namespace

asio::awaitable<SignedIn> finish_sign_in(
    http::Request const& req, Deps& deps, User const& user, SignIn const& sign_in)
{
    AccountRules const rules = co_await account_rules(req, deps);
    co_await require_admitted(req, deps, user, rules);
    if (rules.requires_enrolment(user)) {
        co_await deps.tokens.ready();
        throw enrolment_required(deps.tokens.enrolment_token(req.scope(), user, sign_in.identity_provider));
    }
    if (sign_in.aal2 || !user.has_factor()) co_return co_await open_session(req, deps, user, sign_in);
    SecondFactor const second = co_await second_factor_of(req, deps, user.id);
    if (second.trusted) co_return co_await open_session(req, deps, user, sign_in);
    Challenge challenge{.key = {},
        .user_id = user.id,
        .credentials_version = user.credentials_version,
        .amr = {sign_in.amr.begin(), sign_in.amr.end()},
        .identity_provider = sign_in.identity_provider};
    auto const created = co_await deps.challenges.create(req.scope(), std::move(challenge));
    if (user.phone_verified && !user.totp && !user.passkey)
        co_await try_to_send_code(req, deps, user, created.challenge);
    throw mfa_required(created.token, user, second.can_recover);
}

asio::awaitable<User> challenged_user(Deps& deps, core::Scope const& scope, Challenge const& challenge)
{
    auto user = co_await deps.batchers.find_user.run({scope.id, challenge.user_id});
    if (!user || user->credentials_version != challenge.credentials_version) throw challenge_expired();
    co_return std::move(*user);
}

asio::awaitable<Challenges::Send> send_sign_in_code(
    http::Request const& req, Deps& deps, User const& user, Challenge const& challenge)
{
    auto& challenges = deps.challenges;
    auto const phone = phone_of(user);
    auto const code = co_await deps.sms_codes.new_code(req.scope(), phone);
    if (user.phone_is_test && !code.fixed())
        throw sms_undeliverable("This phone number was enrolled as a test phone, and it is none any more. "
                                "Remove the SMS factor, then set it up again.");
    auto send = co_await challenges.count_send(challenge, phone.text(), code.code);
    auto const delivery =
        co_await challenges.or_take_back(challenge, send, reserve_and_send(req, deps, user.id, phone, code));
    if (delivery.surely_not_sent())
        co_await challenges.take_back(challenge, send);
    else if (!delivery.may_arrive())
        co_await challenges.put_code_back(challenge, send);
    delivery.require_sent();
    co_return send;
}

http::Response sent_code_response(User const& user, Challenges::Send const& send)
{
    core::JsonWriter w;
    w.begin_object()
        .member("challengeType", "oob")
        .member("oobChannel", "sms")
        .member("phone", phone_of(user).masked())
        .member("sendsRemaining", send.remaining)
        .member("expiresIn", send.expires_in.count())
        .end_object();
    return http::Response::ok(std::move(w).str());
}

sms::PhoneNumber phone_of(User const& user)
{
    auto phone = sms::PhoneNumber::parse(user.phone.value_or(""));
    if (!phone)
        throw sms_undeliverable(
            "The phone number cannot receive text messages. Use another number or method.");
    return *std::move(phone);
}

std::optional<DeviceToken> device_token_of(http::Request const& req)
{
    return DeviceToken::from_cookies(req.header("Cookie").value_or(""));
}

} // namespace auth_mfa
