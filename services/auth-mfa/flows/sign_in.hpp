#pragma once

#include "deps.hpp"
#include "domain/trusted_device.hpp"
#include "domain/user.hpp"
#include "flows/activity.hpp"
#include "flows/open_session.hpp"
#include "http/message.hpp"
#include "sms/phone.hpp"
#include "state/challenges.hpp"

#include <optional>

namespace auth_mfa {

/// Continues a sign-in after its first factor was verified (register, login, external, invitation, passkey).
/// Opens a session, or throws 403 `mfa_required` with an `mfa_token` when the user has a second factor, the
/// first one is not of `aal2` and the user does not trust this browser. If SMS is the user's only factor, the
/// function also sends a code; the response does not reveal whether the code was sent. Throws 503 when a
/// challenge is needed and Redis is down. Before that, throws 403 ACCOUNT_DISABLED, EMAIL_NOT_VERIFIED, or
/// `mfa_enrollment_required` with an `enrollment_token` if the setting `mfaPolicy` requires a factor.
asio::awaitable<SignedIn> finish_sign_in(
    http::Request const& req, Deps& deps, User const& user, SignIn const& sign_in);

/// The user of a challenge. Throws MFA_CHALLENGE_EXPIRED when the user's credentials changed after the first
/// factor.
asio::awaitable<User> challenged_user(Deps& deps, core::Scope const& scope, Challenge const& challenge);

/// Sends a code to the user's phone and makes it the challenge's current code. Throws MFA_SMS_UNDELIVERABLE,
/// MFA_RATE_LIMITED or UNAVAILABLE if the code is not sent. In these cases the previous code stays valid,
/// unless the new code may have been delivered. A send that the provider refused stays counted. A send that
/// never reached the provider is not counted.
asio::awaitable<Challenges::Send> send_sign_in_code(
    http::Request const& req, Deps& deps, User const& user, Challenge const& challenge);

/// The response after a code was sent: `{challengeType, oobChannel, phone, sendsRemaining, expiresIn}`.
http::Response sent_code_response(User const& user, Challenges::Send const& send);

/// The user's phone number. Throws MFA_SMS_UNDELIVERABLE if the stored number is no longer valid, for example
/// because calling codes have changed.
sms::PhoneNumber phone_of(User const& user);

/// The token of the browser that sent the request; nullopt if it has none.
std::optional<DeviceToken> device_token_of(http::Request const& req);

} // namespace auth_mfa
