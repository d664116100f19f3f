#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace observe {

/// Keeps what strangers can cause from filling the log: admits a number of lines a second and counts the
/// rest. Safe from any thread; exact to a few lines when a second turns.
class LogLimit {
public:
    using Clock = std::chrono::steady_clock;

    explicit LogLimit(std::uint32_t lines_per_second) noexcept : limit_(lines_per_second) {}

    bool admits(Clock::time_point now) noexcept
    {
        auto const second = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
        if (second_.load(std::memory_order_relaxed) != second &&
            second_.exchange(second, std::memory_order_relaxed) != second)
            admitted_.store(0, std::memory_order_relaxed);
        if (admitted_.load(std::memory_order_relaxed) < limit_ &&
            admitted_.fetch_add(1, std::memory_order_relaxed) < limit_)
            return true;
        omitted_.fetch_add(1, std::memory_order_relaxed);
        return false;
    }

    /// How many were not admitted since the last call: for the next line that is written.
    std::uint64_t take_omitted() noexcept
    {
        return omitted_.load(std::memory_order_relaxed) == 0
                   ? 0
                   : omitted_.exchange(0, std::memory_order_relaxed);
    }

private:
    std::uint32_t const limit_;
    std::atomic<std::int64_t> second_ = 0;
    std::atomic<std::uint32_t> admitted_ = 0;
    std::atomic<std::uint64_t> omitted_ = 0;
};

} // namespace observe
