#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace notify {

/// The shortest time that a server has taken to respond lately: in the last 30 to 60 seconds. It approximates
/// the time that a response takes if no request waits for another. One thread calls `add`; `get` is
/// thread-safe.
class LatencyFloor {
public:
    using Time = std::chrono::steady_clock::time_point;

    void add(Time sent, Time now) noexcept
    {
        if (now - began_ > period) {
            before_ = now - began_ > 2 * period ? none : current_;
            current_ = none;
            began_ = now;
        }
        auto const took = std::chrono::duration_cast<std::chrono::microseconds>(now - sent).count();
        current_ = std::min<std::int64_t>(current_, took);
        floor_.store(std::min(before_, current_), std::memory_order_relaxed);
    }

    /// 0 before the first response.
    std::chrono::microseconds get() const noexcept
    {
        auto const floor = floor_.load(std::memory_order_relaxed);
        return std::chrono::microseconds(floor == none ? 0 : floor);
    }

private:
    static constexpr std::chrono::seconds period{30};
    static constexpr std::int64_t none = INT64_MAX;

    Time began_{};
    std::int64_t before_ = none, current_ = none; ///< in microseconds
    std::atomic<std::int64_t> floor_ = none;
};

} // namespace notify
