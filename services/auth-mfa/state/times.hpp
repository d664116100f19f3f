#pragma once

#include "redis/times.hpp"

#include <chrono>
#include <string>

/// Times as arguments of Redis scripts.
namespace auth_mfa {

using redis::microseconds;

/// Prepends Lua code that sets `now` to the current time in microseconds. The first argument of the script
/// must be redis::Client::script_time().
inline std::string timed(std::string const& script)
{
    return std::string(redis::now_in_lua) + script;
}

/// The Redis expiry of a value with this lifetime, in milliseconds. The expiry is one minute longer than the
/// lifetime, so that Redis deletes no value before the scripts, which check the lifetime, treat it as
/// expired.
inline std::string expiry_of(std::chrono::milliseconds lifetime)
{
    return std::to_string((lifetime + std::chrono::minutes(1)).count());
}

} // namespace auth_mfa
