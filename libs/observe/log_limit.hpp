#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace observe {

/// Limits the log lines that anonymous callers can cause. Allows a number of lines per second and counts the
/// omitted ones. Thread-safe. The count may be off by a few lines when a new second begins.
class LogLimit {
public:
    using Clock = std::chrono::steady_clock;

    explicit LogLimit(std::uint32_t lines_per_second) noexcept : limit_(lines_per_second) {}

    /// Whether one more line may be written at `now`. If not, counts it as omitted.
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

    /// Returns the number of lines omitted since the last call. Report it in the next line that is written.
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
