#pragma once

#include "core/clock.hpp"

#include <atomic>
#include <functional>
#include <utility>

namespace testing {

/// A clock that moves only when a test moves it. Starts at 2026-01-01T00:00:00Z by default. Thread-safe.
class FakeClock final : public core::Clock {
public:
    static constexpr core::Time start{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

    explicit FakeClock(core::Time now = start) : now_(now.time_since_epoch().count()) {}

    core::Time now() const override { return core::Time(core::Time::duration(now_.load())); }

    void set(core::Time now)
    {
        now_ = now.time_since_epoch().count();
        if (moved_) moved_(this->now());
    }

    void advance(core::Time::duration by)
    {
        now_ += by.count();
        if (moved_) moved_(this->now());
    }

    /// Calls `moved` with the current time at once, and after each move of the clock, on the thread that
    /// moves it. Call this function before other threads use the clock.
    void follow(std::function<void(core::Time)> moved)
    {
        moved_ = std::move(moved);
        moved_(now());
    }

private:
    std::function<void(core::Time)> moved_;
    std::atomic<core::Time::rep> now_;
};

} // namespace testing
