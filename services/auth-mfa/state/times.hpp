#pragma once

#include "redis/times.hpp"

#include <chrono>
#include <string>

/// Times as scripts are given them.
namespace auth_mfa {

using redis::microseconds;

/// A script that needs the time; its first argument is redis::Client::script_time().
inline std::string timed(std::string const& script)
{
    return std::string(redis::now_in_lua) + script;
}

/// When Redis may drop what lives that long, in milliseconds: a minute later, so that scripts decide by the
/// time when it ends.
inline std::string expiry_of(std::chrono::milliseconds lifetime)
{
    return std::to_string((lifetime + std::chrono::minutes(1)).count());
}

} // namespace auth_mfa
