#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace redis {

/// Formats a time since the epoch, or the length of a window, as an argument for scripts.
inline std::string microseconds(std::chrono::microseconds time)
{
    return std::to_string(time.count());
}

/// Converts a duration in a script's reply, which is in microseconds. Rounds up.
inline std::chrono::milliseconds to_milliseconds(std::int64_t microseconds)
{
    return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::microseconds(microseconds));
}

/// The beginning of a script that needs the time. It sets `now`, in microseconds since the epoch. If the
/// first argument (Client::script_time) is a number, it is the time. Otherwise the time is by Redis' clock,
/// because the clocks of the replicas may differ.
inline constexpr std::string_view now_in_lua = R"lua(
local now = tonumber(ARGV[1])
if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000000 + time[2]
end
)lua";

} // namespace redis
