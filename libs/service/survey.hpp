#pragma once

#include "core/clock.hpp"
#include "observe/metrics.hpp"
#include "pg/database.hpp"

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

namespace service {

/// Gauges of what only the database knows, read every 30 s on a thread of its own and never when they are
/// scraped. Each replica shows the same, which belongs to all of them: aggregate with `max`.
///
/// - `tetrad_queue_jobs{queue}`, `tetrad_queue_due_jobs{queue}`: counted up to `jobs::surveyed_jobs`
/// - `tetrad_queue_oldest_job_seconds{queue}`, `tetrad_queue_oldest_due_seconds{queue}`: the age of the job
///   that was enqueued first, and how long the one that is due longest has waited; 0 when there is none
/// - `tetrad_periodic_task_overdue_seconds{task}`: how long ago it should have begun; 0 when it is not due
///
/// Ages go on growing while the database cannot be asked.
class Survey {
public:
    using Read = std::function<double(pg::Tx&)>;

    /// References outlive this object. `failed` is told, on its thread, what keeps it from looking, once
    /// until that has passed; a database that is away is not worth telling.
    Survey(pg::Database& database, core::Clock const& clock, observe::Metrics& metrics,
        std::function<void(std::string_view what)> failed = {});
    ~Survey();
    Survey(Survey const&) = delete;
    Survey& operator=(Survey const&) = delete;

    // Before `start()`:
    void add_queue(std::string const& queue);
    void add_task(std::string const& task);
    /// Another gauge. `read` sees no scope, costs next to nothing, and yields NaN where there is nothing to
    /// show, which is what it is until it was read.
    void add(std::string const& name, std::string const& help, Read read);

    /// Looks at once, and then every `interval`.
    void start(std::chrono::milliseconds interval = std::chrono::seconds(30));

    /// Returns at once.
    void request_stop() noexcept;
    void stop() noexcept;

    /// Looks now, blocking. Throws what the database throws. Not once it was started.
    void look();

private:
    /// A time, or none.
    class Since {
    public:
        explicit Since(std::optional<core::Time> time = std::nullopt) { set(time); }

        void set(std::optional<core::Time> time) noexcept;
        /// How long ago that is, in seconds: 0 when it is to come, or none.
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
    void look_quietly();
    void look_at_queues(pg::Tx& tx, core::Time::duration ahead);

    pg::Database& database_;
    core::Clock const& clock_;
    observe::Metrics& metrics_;
    std::function<void(std::string_view)> const failed_;
    bool reported_ = false;

    std::vector<std::string> names_; ///< of `queues_`
    std::map<std::string, Queue> queues_;
    std::map<std::string, Since> tasks_; ///< when each is due
    std::list<Reading> readings_;

    std::mutex mutex_;
    std::condition_variable_any wakeup_;
    std::jthread thread_; ///< last: it uses all of the above
};

} // namespace service
