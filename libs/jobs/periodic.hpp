#pragma once

#include "pg/database.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace jobs {

struct PeriodicOptions {
    std::string name;                              ///< the same on every replica
    std::chrono::milliseconds interval{3'600'000}; ///< from the end of one run to the next
    std::chrono::milliseconds lease{600'000};      ///< one step of the task takes less
    std::chrono::milliseconds poll{30'000};        ///< how often a replica looks whether it is due
};

/// A task that one replica at a time runs every `interval` (purges, reconciliation), by the database's clock.
/// A replica that dies in the middle is succeeded when its lease ends.
class Periodic {
public:
    /// One step of the task, blocking; true: there is more to do, call again. What it throws goes to
    /// `failed`, and the next run comes after the interval.
    using Step = std::function<bool(std::stop_token const& stop)>;

    /// Starts at once. `database` outlives it.
    Periodic(pg::Database& database, PeriodicOptions options, Step step,
        std::function<void(std::string_view what)> failed = {});

    /// As `stop()`.
    ~Periodic();
    Periodic(Periodic const&) = delete;
    Periodic& operator=(Periodic const&) = delete;

    /// Looks now instead of at the next poll.
    void wake() noexcept;

    /// Asks the step that runs to end; returns at once.
    void request_stop() noexcept;

    /// Ends after the step that runs.
    void stop() noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace jobs
