#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace redis {

/// A time, since the epoch or of a window, as scripts are given it.
inline std::string microseconds(std::chrono::microseconds time)
{
    return std::to_string(time.count());
}

/// Begins a script that needs the time: `now`, in microseconds since the epoch, by Redis' own clock unless
/// the first argument (Client::script_time) says otherwise. A replica's clock may be wrong; Redis' is one for
/// all of them.
inline constexpr std::string_view now_in_lua = R"lua(
local now = tonumber(ARGV[1])
if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000000 + time[2]
end
)lua";

} // namespace redis
