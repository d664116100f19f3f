#pragma once

#include "core/error.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

/// The codes of this area (interfaces.md, B), beside those that all share.
namespace auth_mfa::codes {

inline constexpr core::ErrorCode invalid_credentials{"INVALID_CREDENTIALS", 401};

inline constexpr core::ErrorCode mfa_required{"mfa_required", 403};
inline constexpr core::ErrorCode mfa_password_required{"MFA_PASSWORD_REQUIRED", 403};
inline constexpr core::ErrorCode mfa_already_enabled{"MFA_ALREADY_ENABLED", 409};
inline constexpr core::ErrorCode mfa_setup_required{"MFA_SETUP_REQUIRED", 409};
inline constexpr core::ErrorCode mfa_invalid_code{"MFA_INVALID_CODE", 400};
inline constexpr core::ErrorCode mfa_challenge_expired{"MFA_CHALLENGE_EXPIRED", 410};
inline constexpr core::ErrorCode mfa_sms_undeliverable{"MFA_SMS_UNDELIVERABLE", 422};
inline constexpr core::ErrorCode mfa_rate_limited{"MFA_RATE_LIMITED", 429};

} // namespace auth_mfa::codes

namespace auth_mfa {

/// Too many sends or wrong codes; one may be made again in `retry_after`.
inline core::Error rate_limited(std::chrono::seconds retry_after)
{
    auto const seconds = std::max<std::chrono::seconds::rep>(1, retry_after.count());
    return core::Error(codes::mfa_rate_limited, "Too many codes were sent, or too many were wrong.")
        .header("Retry-After", std::to_string(seconds));
}

/// Too many wrong passwords, or too many registrations.
inline core::Error too_many_attempts(std::chrono::seconds retry_after)
{
    auto const seconds = std::max<std::chrono::seconds::rep>(1, retry_after.count());
    return core::Error(core::codes::rate_limited, "Too many attempts: try again later.")
        .header("Retry-After", std::to_string(seconds));
}

inline core::Error credentials_changed()
{
    return {codes::invalid_credentials, "The credentials have been changed meanwhile."};
}

inline core::Error challenge_expired()
{
    return {codes::mfa_challenge_expired, "The sign-in has expired or was completed: sign in again."};
}

/// `remaining`: further attempts, where they are counted.
inline core::Error invalid_code(std::optional<int> remaining = std::nullopt)
{
    core::Error error(codes::mfa_invalid_code, "The code is wrong.");
    if (remaining) error.member("attemptsRemaining", *remaining);
    return error;
}

inline core::Error setup_required(std::string detail)
{
    return {codes::mfa_setup_required, std::move(detail)};
}

inline core::Error already_enabled()
{
    return {codes::mfa_already_enabled, "The factor is enrolled already."};
}

} // namespace auth_mfa
