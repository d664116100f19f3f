#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "jobs/queue.hpp"
#include "pg/tx.hpp"

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace pg {
class Database;
}

namespace jobs {

using core::to_string;

/// The outcome of a run.
struct Outcome {
    enum class Kind { done, retry, dead };

    /// Runs in the transaction that ends the claim, and only while the lease is held. The transaction sees
    /// the job's scope. The writes of `record` and the end of the job are committed together or not at all.
    /// `record` runs again if the transaction is repeated. If the database refuses the writes, the job is
    /// given up with an entry in `dead_jobs`, because another run would fail in the same way. The same
    /// happens if `record` throws another exception that is not an outage. See WorkerOptions::on_dead.
    using Record = std::function<void(pg::Tx&)>;

    Kind kind = Kind::done;
    core::Time run_at; ///< retry only: a time by the worker's clock, which the worker converts to a delay
    Record record;
    bool counted = true; ///< retry only: whether the run counts as one of the job's attempts

    static Outcome done(Record record = {}) { return {Kind::done, {}, std::move(record)}; }

    /// The job runs again at `run_at`.
    static Outcome retry(core::Time run_at, Record record = {})
    {
        return {Kind::retry, run_at, std::move(record)};
    }

    /// The job runs again at `run_at`. This run does not count as an attempt, because nothing was tried.
    static Outcome not_yet(core::Time run_at, Record record = {})
    {
        return {Kind::retry, run_at, std::move(record), false};
    }

    /// The job is given up. As `done`, but metrics count the run separately. `record` should write the
    /// reason.
    static Outcome dead(Record record = {}) { return {Kind::dead, {}, std::move(record)}; }
};

constexpr auto enum_names(Outcome::Kind)
{
    return std::to_array<std::string_view>({"done", "retry", "dead"});
}

/// Runs one job on a worker's thread. May block. A job may run again after a crash, so the handler must first
/// check which work remains. If the handler throws, the job is retried with backoff (1 s to 10 min). `stop`
/// asks the handler to end early. The only member of `claim` that the handler may set is `traceparent`.
using Handler = std::function<Outcome(Claim& claim, std::stop_token const& stop)>;

/// Functions that a worker calls, on any of its threads. Empty functions are not called.
struct Hooks {
    std::function<void(Claim const&, Outcome::Kind, std::chrono::nanoseconds took)> finished;
    std::function<void(Claim const&)> lost; ///< a run ended, but its outcome was not written
    /// Called when a handler threw, and once per outage of the database. The claim is null if the failure
    /// does not concern a single job.
    std::function<void(std::string_view what, Claim const*)> failed;
};

struct WorkerOptions {
    std::string queue;
    unsigned threads = 4; ///< maximum number of concurrent jobs
    /// Maximum number of concurrent jobs of one tenant, in its two scopes together. 0 means half of the
    /// threads, but at least 1. If both scopes have due jobs, the number may be exceeded by one.
    unsigned max_per_tenant = 0;
    /// The duration of a lease. The worker renews the lease while the handler runs. The job of a crashed
    /// worker runs again when its lease ends.
    std::chrono::milliseconds lease{60'000};
    /// Interval between searches for due jobs when there is no notification.
    std::chrono::milliseconds poll{1'000};
    /// How long a worker claims no jobs with an expired lease. This time begins at the worker's first contact
    /// with the database, and again after each period of half a lease without contact. During this time the
    /// workers that ran these jobs can write the outcomes that they could not write during the outage. If
    /// unset, a quarter of the lease.
    std::optional<std::chrono::milliseconds> takeover_delay = std::nullopt;
    /// How long a stopping worker retries to write outcomes while the database is down. A job whose outcome
    /// is not written runs again.
    std::chrono::milliseconds stop_timeout{15'000};
    /// Called when a job is given up because the database refused its outcome. It should record this in the
    /// row to which `ref` refers. Runs like an Outcome::Record. If its writes fail as well, the job is given
    /// up without them. May be empty.
    std::function<void(pg::Tx&, Claim const&)> on_dead = {};
};

/// Runs the jobs of one queue. Any number of workers, in any number of processes, may share a queue. A job
/// runs on one worker at a time. Another worker runs the job only after the lease has ended by the database's
/// clock. Scopes take turns, and the jobs of one tenant use at most `max_per_tenant` threads. During an
/// outage of the database, the worker retries. It writes the outcomes when the database is back. Until then,
/// the takeover delay prevents other workers from starting these jobs again (see
/// WorkerOptions::takeover_delay).
class Worker {
public:
    /// Starts at once. `database` and `clock` must outlive the worker.
    Worker(pg::Database& database, core::Clock const& clock, WorkerOptions options, Handler handler,
        Hooks hooks = {});

    /// As `stop()`.
    ~Worker();
    Worker(Worker const&) = delete;
    Worker& operator=(Worker const&) = delete;

    /// Wakes the worker if `payload` is the name of its queue. For the pg::Listener's handler of the channel
    /// `jobs::channel`. Thread-safe.
    void on_notification(std::string_view payload) noexcept;

    /// Makes the worker look for jobs now. Thread-safe.
    void wake() noexcept;

    /// Stops claiming and asks running handlers to end. Returns at once.
    void request_stop() noexcept;

    /// Stops claiming, gives back claims that were not started, and waits for the running handlers.
    void stop() noexcept;

    /// The number of running jobs.
    std::size_t in_flight() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace jobs
