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

/// How a run ended.
struct Outcome {
    enum class Kind { done, retry, dead };

    /// Runs in the transaction that ends the claim, seeing the job's scope, and only while the lease is still
    /// held: what it writes and the end of the job happen both or not at all. May run more than once (a
    /// transaction that is repeated). When the database refuses what it writes, or it throws anything else
    /// that is no outage, the job is not run again, which would only end so another time: it is given up
    /// (WorkerOptions::given_up), with an entry in `dead_jobs`.
    using Record = std::function<void(pg::Tx&)>;

    Kind kind = Kind::done;
    core::Time run_at; ///< retry only; by the worker's clock, which tells the delay
    Record record;
    bool counted = true; ///< retry only: whether the run was one of the job's attempts

    static Outcome done(Record record = {}) { return {Kind::done, {}, std::move(record)}; }

    /// Again at `run_at`.
    static Outcome retry(core::Time run_at, Record record = {})
    {
        return {Kind::retry, run_at, std::move(record)};
    }

    /// At `run_at`, as if this run had not been: nothing was tried.
    static Outcome not_yet(core::Time run_at, Record record = {})
    {
        return {Kind::retry, run_at, std::move(record), false};
    }

    /// Given up: as `done`, but counted apart; `record` writes down why.
    static Outcome dead(Record record = {}) { return {Kind::dead, {}, std::move(record)}; }
};

/// `done`, `retry`, `dead`.
std::string_view to_string(Outcome::Kind kind) noexcept;

/// Runs one job, blocking, on a worker's thread. It may run again after a crash, so it asks first what is
/// still to be done. What it throws is a retry with back-off (1 s to 10 min). `stop` asks it to come to an
/// end early. Of `claim` it sets `traceparent` and nothing else.
using Handler = std::function<Outcome(Claim& claim, std::stop_token const& stop)>;

/// What a worker tells about itself, from any of its threads; empty ones are not called.
struct Hooks {
    std::function<void(Claim const&, Outcome::Kind, std::chrono::nanoseconds took)> finished;
    std::function<void(Claim const&)> lost; ///< a run ended after its lease had gone to somebody else
    /// A handler threw, or the database did not answer (once an outage). Null: that was about no job.
    std::function<void(std::string_view what, Claim const*)> failed;
};

struct WorkerOptions {
    std::string queue;
    unsigned threads = 4;       ///< jobs at once
    unsigned max_per_scope = 0; ///< of them for one scope; 0: half of the threads, at least 1
    std::chrono::milliseconds lease{
        60'000}; ///< renewed while a handler runs; how long a crashed worker's job waits
    std::chrono::milliseconds poll{1'000}; ///< look-out for due jobs when nothing wakes it
    /// How long a worker that has just started, or that has not heard of the database for half of a lease,
    /// leaves jobs whose lease has ended to the workers that ran them. Those could not write the outcome
    /// while the database was away. Unset: a quarter of the lease.
    std::optional<std::chrono::milliseconds> grace = std::nullopt;
    /// How long a stopping worker goes on trying to write down how runs ended, while the database is away.
    /// What is not written then runs again.
    std::chrono::milliseconds farewell{15'000};
    /// Tells the owner of what `ref` names that its job was given up because its outcome could not be
    /// written. Runs as an Outcome::Record; when this cannot be written either, it is left out. May be empty.
    std::function<void(pg::Tx&, Claim const&)> given_up = {};
};

/// Runs the jobs of one queue. Any number of workers, in any number of processes, share a queue: each claim
/// is run by one of them, and by another only after the lease ended, by the database's clock. Scopes take
/// turns, and no scope fills all threads. While the database is away it keeps trying: how a run ended is
/// written as soon as the database is back, and until then no worker begins the job again.
class Worker {
public:
    /// Starts at once. `database` and `clock` outlive the worker.
    Worker(pg::Database& database, core::Clock const& clock, WorkerOptions options, Handler handler,
        Hooks hooks = {});

    /// As `stop()`.
    ~Worker();
    Worker(Worker const&) = delete;
    Worker& operator=(Worker const&) = delete;

    /// For the listener's handler of `jobs::channel`: wakes the worker when `payload` names its queue. Any
    /// thread.
    void on_notification(std::string_view payload) noexcept;

    /// Looks for jobs now.
    void wake() noexcept;

    /// Stops claiming and asks running handlers to end; returns at once.
    void request_stop() noexcept;

    /// Stops claiming, gives back what was claimed but not begun, and waits for the handlers that run: as
    /// long as the longest of them takes.
    void stop() noexcept;

    /// Jobs running.
    std::size_t in_flight() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace jobs
