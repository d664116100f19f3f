#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace pg {
class Database;
}

namespace jobs {

struct PeriodicOptions {
    std::string name;                              ///< key of the task in the table `periodic_tasks`
    std::chrono::milliseconds interval{3'600'000}; ///< from the end of one run to the start of the next
    std::chrono::milliseconds lease{600'000}; ///< must be longer than one step, or two replicas may run it
    std::chrono::milliseconds poll{30'000};   ///< how often a replica checks whether the task is due
};

/// A task, such as a purge or a reconciliation, that runs on one replica at a time. A run is due `interval`
/// after the end of the last one, by the database's clock. If a replica dies during a run, another replica
/// takes over when the lease ends.
class Periodic {
public:
    /// Runs one step of the task. May block. Returns true if there is more to do: the next step then runs at
    /// once. If a step throws, `failed` is called, and the next run begins after `interval`.
    using Step = std::function<bool(std::stop_token const& stop)>;

    /// Starts at once. `database` must outlive this object.
    Periodic(pg::Database& database, PeriodicOptions options, Step step,
        std::function<void(std::string_view what)> failed = {});

    /// As `stop()`.
    ~Periodic();
    Periodic(Periodic const&) = delete;
    Periodic& operator=(Periodic const&) = delete;

    /// Makes the thread check now whether the task is due, instead of at the next poll. Thread-safe.
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
