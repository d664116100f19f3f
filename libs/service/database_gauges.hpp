#pragma once

#include "core/clock.hpp"
#include "observe/metrics.hpp"
#include "pg/tx.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace pg {
class Database;
}

namespace service {

/// Gauges that are read from the database every 30 s on a thread of its own, and never during a scrape.
/// Every replica shows the values of the whole service, so aggregate them with `max`.
///
/// - `tetrad_queue_jobs{queue}`, `tetrad_queue_due_jobs{queue}`: counted up to `jobs::max_counted_jobs`
/// - `tetrad_queue_oldest_job_seconds{queue}`: the age of the job that was enqueued first; 0 without jobs
/// - `tetrad_queue_oldest_due_seconds{queue}`: for how long the job that became due first has been due; 0 if
///   no job is due
/// - `tetrad_periodic_task_overdue_seconds{task}`: time since the task should have begun; 0 if it is not due
///
/// Ages keep growing while the database cannot be reached.
class DatabaseGauges {
public:
    using Read = std::function<double(pg::Tx&)>;

    /// The references must outlive this object. `failed` is called on that thread with the first
    /// failure of a series of failed reads. Outages of the database are not reported.
    DatabaseGauges(pg::Database& database, core::Clock const& clock, observe::Metrics& metrics,
        std::function<void(std::string_view what)> failed = {});
    ~DatabaseGauges();
    DatabaseGauges(DatabaseGauges const&) = delete;
    DatabaseGauges& operator=(DatabaseGauges const&) = delete;

    // Before `start()`:
    void add_queue(std::string const& queue);
    void add_task(std::string const& task);
    /// Adds another gauge. `read` runs in a transaction without scopes and must be cheap. It returns NaN if
    /// there is no value. The gauge is NaN until the first read.
    void add(std::string const& name, std::string const& help, Read read);

    /// Starts the thread, which reads at once and then every `interval`.
    void start(std::chrono::milliseconds interval = std::chrono::seconds(30));

    /// Asks the thread to stop. Returns at once.
    void request_stop() noexcept;
    void stop() noexcept;

    /// Reads now; blocks. Throws the exceptions of the database. Do not call it after `start()`.
    void read();

private:
    /// An optional time.
    class Since {
    public:
        explicit Since(std::optional<core::Time> time = std::nullopt) { set(time); }

        void set(std::optional<core::Time> time) noexcept;
        /// The seconds since that time; 0 if the time is in the future or not set.
        double age(core::Clock const& clock) const noexcept;

    private:
        std::atomic<core::Time> time_;
    };

    struct Queue {
        std::atomic<std::int64_t> jobs = 0, due = 0;
        Since oldest, oldest_due;
    };

    struct Reading {
        Read read;
        std::atomic<double> value;
    };

    void loop(std::stop_token const& stop, std::chrono::milliseconds interval);
    void read_quietly();
    void read_queues(pg::Tx& tx, core::Time::duration ahead);

    pg::Database& database_;
    core::Clock const& clock_;
    observe::Metrics& metrics_;
    std::function<void(std::string_view)> const failed_;
    bool reported_ = false;

    std::vector<std::string> names_; ///< names of `queues_`
    std::map<std::string, Queue> queues_;
    std::map<std::string, Since> tasks_; ///< the time when each task is due
    std::list<Reading> readings_;

    std::mutex mutex_;
    std::condition_variable_any wakeup_;
    std::jthread thread_; ///< last member, because the thread uses all other members
};

} // namespace service
