#pragma once

#include <chrono>
#include <string>

namespace redis {

/// A time, since the epoch or of a window, as scripts are given it.
inline std::string microseconds(std::chrono::microseconds time)
{
    return std::to_string(time.count());
}

} // namespace redis
