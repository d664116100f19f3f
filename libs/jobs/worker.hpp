#pragma once

#include "core/clock.hpp"
#include "jobs/queue.hpp"
#include "pg/database.hpp"

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace jobs {

/// The outcome of a run.
struct Outcome {
    enum class Kind { done, retry, dead };

    /// Runs in the transaction that ends the claim, and only while the lease is held. The transaction sees
    /// the job's scope. The writes of `record` and the end of the job are committed together or not at all.
    /// It runs again if the transaction is repeated. The job is given up, with an entry in `dead_jobs`, if
    /// the database refuses the writes or `record` throws another exception that is not an outage. Another
    /// run would fail in the same way. See WorkerOptions::given_up.
    using Record = std::function<void(pg::Tx&)>;

    Kind kind = Kind::done;
    core::Time run_at; ///< retry only: by the worker's clock; converted to a delay
    Record record;
    bool counted = true; ///< retry only: whether the run counts as one of the job's attempts

    static Outcome done(Record record = {}) { return {Kind::done, {}, std::move(record)}; }

    /// Run again at `run_at`.
    static Outcome retry(core::Time run_at, Record record = {})
    {
        return {Kind::retry, run_at, std::move(record)};
    }

    /// Run again at `run_at`. This run does not count as an attempt, because nothing was tried.
    static Outcome not_yet(core::Time run_at, Record record = {})
    {
        return {Kind::retry, run_at, std::move(record), false};
    }

    /// The job is given up. As `done`, but counted separately. `record` writes the reason.
    static Outcome dead(Record record = {}) { return {Kind::dead, {}, std::move(record)}; }
};

/// `done`, `retry`, `dead`.
std::string_view to_string(Outcome::Kind kind) noexcept;

/// Runs one job on a worker's thread. May block. A job may run again after a crash, so the handler must first
/// check which work remains. If the handler throws, the job is retried with backoff (1 s to 10 min). `stop`
/// asks the handler to end early. The only member of `claim` that the handler may set is `traceparent`.
using Handler = std::function<Outcome(Claim& claim, std::stop_token const& stop)>;

/// Notifications from a worker, on any of its threads. Empty functions are not called.
struct Hooks {
    std::function<void(Claim const&, Outcome::Kind, std::chrono::nanoseconds took)> finished;
    std::function<void(Claim const&)> lost; ///< a run ended after its lease was lost
    /// Called when a handler threw, and once per outage of the database. The claim is null if the failure
    /// does not concern a single job.
    std::function<void(std::string_view what, Claim const*)> failed;
};

struct WorkerOptions {
    std::string queue;
    unsigned threads = 4;       ///< maximum number of concurrent jobs
    unsigned max_per_scope = 0; ///< maximum number for one scope; 0: half of the threads, at least 1
    /// Renewed while a handler runs. The job of a crashed worker runs again when its lease ends.
    std::chrono::milliseconds lease{60'000};
    /// Interval between searches for due jobs when there is no notification.
    std::chrono::milliseconds poll{1'000};
    /// For this long, a worker does not claim jobs whose lease has ended. The time begins at its first
    /// contact with the database, and again after each period of half a lease without contact. The workers
    /// that ran these jobs can then write the outcomes that they could not write during the outage. Unset: a
    /// quarter of the lease.
    std::optional<std::chrono::milliseconds> grace = std::nullopt;
    /// How long a stopping worker retries to write outcomes while the database is down. A job whose outcome
    /// is not written runs again.
    std::chrono::milliseconds farewell{15'000};
    /// Called when a job is given up because its outcome could not be written. It records this in the row to
    /// which `ref` refers. Runs as an Outcome::Record. If its writes fail as well, they are skipped. May be
    /// empty.
    std::function<void(pg::Tx&, Claim const&)> given_up = {};
};

/// Runs the jobs of one queue. Any number of workers, in any number of processes, may share a queue. One
/// worker runs a job. Another worker runs it only after the lease has ended by the database's clock. Scopes
/// take turns, and the jobs of one scope use at most `max_per_scope` threads. During an outage of the
/// database, the worker retries. It writes the outcomes as soon as the database is back, and no worker starts
/// these jobs again before that (see WorkerOptions::grace).
class Worker {
public:
    /// Starts at once. `database` and `clock` must outlive the worker.
    Worker(pg::Database& database, core::Clock const& clock, WorkerOptions options, Handler handler,
        Hooks hooks = {});

    /// As `stop()`.
    ~Worker();
    Worker(Worker const&) = delete;
    Worker& operator=(Worker const&) = delete;

    /// For the listener's handler of `jobs::channel`: wakes the worker if `payload` is the name of its queue.
    /// Thread-safe.
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
