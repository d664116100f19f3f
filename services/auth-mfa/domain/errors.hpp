#pragma once

#include "core/error.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// The error codes of auth-mfa, in addition to core::codes.
namespace auth_mfa::codes {

inline constexpr core::ErrorCode invalid_credentials{"INVALID_CREDENTIALS", 401};

inline constexpr core::ErrorCode account_disabled{"ACCOUNT_DISABLED", 403};
inline constexpr core::ErrorCode sign_up_closed{"SIGN_UP_CLOSED", 403};
inline constexpr core::ErrorCode email_not_verified{"EMAIL_NOT_VERIFIED", 403};
/// For a promotion to admin or owner.
inline constexpr core::ErrorCode member_not_verified{"EMAIL_NOT_VERIFIED", 409};
inline constexpr core::ErrorCode token_expired{"TOKEN_EXPIRED", 410};
inline constexpr core::ErrorCode reauthentication_required{"REAUTHENTICATION_REQUIRED", 403};

inline constexpr core::ErrorCode mfa_required{"mfa_required", 403};
inline constexpr core::ErrorCode mfa_enrollment_required{"mfa_enrollment_required", 403};
inline constexpr core::ErrorCode mfa_password_required{"MFA_PASSWORD_REQUIRED", 403};
inline constexpr core::ErrorCode mfa_already_enabled{"MFA_ALREADY_ENABLED", 409};
inline constexpr core::ErrorCode mfa_setup_required{"MFA_SETUP_REQUIRED", 409};
inline constexpr core::ErrorCode mfa_invalid_code{"MFA_INVALID_CODE", 400};
inline constexpr core::ErrorCode mfa_challenge_expired{"MFA_CHALLENGE_EXPIRED", 410};
inline constexpr core::ErrorCode mfa_sms_undeliverable{"MFA_SMS_UNDELIVERABLE", 422};
inline constexpr core::ErrorCode mfa_rate_limited{"MFA_RATE_LIMITED", 429};

} // namespace auth_mfa::codes

namespace auth_mfa {

/// MFA_RATE_LIMITED with this detail. `retry_after` is the time until the next use is allowed; the header
/// `Retry-After` shows at least 1 s.
inline core::Error rate_limited(std::chrono::seconds retry_after, std::string detail)
{
    auto const seconds = std::max<std::chrono::seconds::rep>(1, retry_after.count());
    return core::Error(codes::mfa_rate_limited, std::move(detail))
        .header("Retry-After", std::to_string(seconds));
}

/// As above: too many codes were sent, or too many wrong codes were entered.
inline core::Error rate_limited(std::chrono::seconds retry_after)
{
    return rate_limited(retry_after,
        "Too many codes were sent, or too many wrong codes were entered. Try again "
        "after the time in Retry-After.");
}

/// MFA_SMS_UNDELIVERABLE with this detail.
inline core::Error sms_undeliverable(std::string detail)
{
    return {codes::mfa_sms_undeliverable, std::move(detail)};
}

/// RATE_LIMITED with this detail. `retry_after` is the time until the next attempt is allowed; the header
/// `Retry-After` shows at least 1 s.
inline core::Error too_many(std::string detail, std::chrono::seconds retry_after)
{
    auto const seconds = std::max<std::chrono::seconds::rep>(1, retry_after.count());
    return core::Error(core::codes::rate_limited, std::move(detail))
        .header("Retry-After", std::to_string(seconds));
}

/// Too many wrong passwords, refused id tokens, registrations or requested emails.
inline core::Error too_many_attempts(std::chrono::seconds retry_after)
{
    return too_many(
        "Too many attempts for this account or from this network. Try again after the time in Retry-After.",
        retry_after);
}

inline core::Error too_many_passkey_challenges(std::chrono::seconds retry_after)
{
    return too_many("Too many challenges for passkeys were requested from this network. Try again after the "
                    "time in Retry-After.",
        retry_after);
}

inline core::Error too_many_authorizations(std::chrono::seconds retry_after)
{
    return too_many("Too many authorization requests came from this network, user or client. Try again "
                    "after the time in Retry-After.",
        retry_after);
}

inline core::Error too_many_invitations(std::chrono::seconds retry_after)
{
    return too_many("Too many invitations were requested in this environment. Try again after the time in "
                    "Retry-After.",
        retry_after);
}

inline core::Error account_disabled()
{
    return {
        codes::account_disabled, "The account is disabled. Ask an administrator of the app to enable it."};
}

inline core::Error email_not_verified()
{
    return {codes::email_not_verified,
        "The account's email is not verified. Open the link in the verification email, or request another "
        "email with POST /v1/auth/email/verification."};
}

inline core::Error sign_up_closed()
{
    return {codes::sign_up_closed, "New accounts cannot be registered here. Ask an administrator of the app "
                                   "for an invitation."};
}

inline core::Error token_expired()
{
    return {codes::token_expired, "The token is unknown, expired or already used. Request another email."};
}

inline core::Error email_taken()
{
    return {
        core::codes::conflict, "An account with this email already exists. Sign in, or use another email."};
}

inline core::Error credentials_changed()
{
    return {codes::invalid_credentials,
        "The account's password or second factors changed during the sign-in. Sign in again."};
}

inline core::Error challenge_expired()
{
    return {codes::mfa_challenge_expired,
        "The challenge is unknown, expired or already used, or the account's "
        "password or second factors have changed. Start again."};
}

inline constexpr std::string_view wrong_code_detail = "The code is wrong. Check it and try again.";

/// MFA_INVALID_CODE. `remaining` is the number of attempts left, for codes that are counted per challenge or
/// enrolment; nullopt for other codes.
inline core::Error invalid_code(
    std::optional<int> remaining = std::nullopt, std::string_view detail = wrong_code_detail)
{
    core::Error error(codes::mfa_invalid_code, std::string(detail));
    if (remaining) error.member("attemptsRemaining", *remaining);
    return error;
}

/// A passkey that does not prove who the user is, outside the second step of a sign-in.
inline core::Error refused_passkey(std::string_view detail)
{
    return {codes::invalid_credentials, std::string(detail)};
}

inline core::Error setup_required(std::string detail)
{
    return {codes::mfa_setup_required, std::move(detail)};
}

inline core::Error already_enabled()
{
    return {codes::mfa_already_enabled,
        "This factor is already enrolled. Disable the factor before you enrol it again."};
}

} // namespace auth_mfa
