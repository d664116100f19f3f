#pragma once

#include <chrono>
#include <string>

/// Times as scripts are given them.
namespace auth_mfa {

inline std::string microseconds(std::chrono::microseconds time)
{
    return std::to_string(time.count());
}

/// When Redis may drop what lives that long by the caller's clock, in milliseconds: a minute later, because
/// that clock decides.
inline std::string expiry_of(std::chrono::milliseconds lifetime)
{
    return std::to_string((lifetime + std::chrono::minutes(1)).count());
}

} // namespace auth_mfa
