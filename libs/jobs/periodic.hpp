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
    std::string name;                              ///< key of the task in the table `periodic_tasks`
    std::chrono::milliseconds interval{3'600'000}; ///< from the end of one run to the start of the next
    std::chrono::milliseconds lease{600'000};      ///< must be longer than one step of the task
    std::chrono::milliseconds poll{30'000};        ///< how often a replica checks whether the task is due
};

/// A task (a purge, a reconciliation) that runs every `interval` by the database's clock, on one replica at a
/// time. If a replica dies during a run, another one takes over when its lease ends.
class Periodic {
public:
    /// Runs one step of the task. Blocks. Returns true if there is more to do, and is then called again at
    /// once. If it throws, `failed` is called, and the next run begins after the interval.
    using Step = std::function<bool(std::stop_token const& stop)>;

    /// Starts at once. `database` must outlive this object.
    Periodic(pg::Database& database, PeriodicOptions options, Step step,
        std::function<void(std::string_view what)> failed = {});

    /// As `stop()`.
    ~Periodic();
    Periodic(Periodic const&) = delete;
    Periodic& operator=(Periodic const&) = delete;

    /// Checks now instead of at the next poll.
    void wake() noexcept;

    /// Asks the running step to end. Returns at once.
    void request_stop() noexcept;

    /// Waits until the running step has ended, then ends the thread.
    void stop() noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace jobs
