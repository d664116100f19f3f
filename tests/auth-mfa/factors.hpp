#pragma once

#include "support/json.hpp"

#include <chrono>
#include <string>

// Request bodies and outcomes for the tests of second factors.

inline std::string setup_body(std::string const& phone)
{
    return boost::json::serialize(boost::json::object{{"phone", phone}});
}

inline std::string code_body(std::string const& code)
{
    return boost::json::serialize(boost::json::object{{"code", code}});
}

/// Status and error code, such as `400 MFA_INVALID_CODE`. Below 400, only the status.
inline std::string outcome(testing::HttpResponse const& r)
{
    return std::to_string(r.status) + (r.status < 400 ? "" : " " + testing::error_of(r));
}

inline constexpr char const* invalid = "400 MFA_INVALID_CODE";
inline constexpr char const* limited = "429 MFA_RATE_LIMITED";
inline constexpr char const* expired = "410 MFA_CHALLENGE_EXPIRED";
inline constexpr char const* setup_required = "409 MFA_SETUP_REQUIRED";
inline constexpr char const* already = "409 MFA_ALREADY_ENABLED";
inline constexpr char const* undeliverable = "422 MFA_SMS_UNDELIVERABLE";
inline constexpr char const* unavailable = "503 UNAVAILABLE";
inline constexpr char const* not_fresh = "403 REAUTHENTICATION_REQUIRED";

/// One second more than the default of REAUTHENTICATION_SECONDS.
inline constexpr auto too_long = std::chrono::seconds(301);
