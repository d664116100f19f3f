#pragma once

#include "redis/times.hpp"

#include <chrono>
#include <string>

/// Times as scripts are given them.
namespace auth_mfa {

using redis::microseconds;

/// When Redis may drop what lives that long by the caller's clock, in milliseconds: a minute later, because
/// that clock decides.
inline std::string expiry_of(std::chrono::milliseconds lifetime)
{
    return std::to_string((lifetime + std::chrono::minutes(1)).count());
}

} // namespace auth_mfa
