#pragma once

#include "jobs/async_worker.hpp"
#include "jobs/periodic.hpp"
#include "jobs/worker.hpp"
#include "observe/metrics.hpp"
#include "pg/tx.hpp"
#include "service/database_gauges.hpp"
#include "service/service.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pg {
class Database;
}

namespace service {

/// The background work of a service: workers, periodic tasks, and the gauges that are read from the database.
/// Counts and logs each run of a job, and each failed run of a periodic task.
class BackgroundWork {
public:
    /// `database` and the references in `runtime` must outlive this object.
    BackgroundWork(pg::Database& database, Runtime const& runtime);

    // Before `start()`:
    void add_worker(jobs::WorkerOptions options, jobs::Handler handler);
    void add_worker(jobs::AsyncWorkerOptions options, jobs::AsyncHandler handler);
    void add_periodic(jobs::PeriodicOptions options, jobs::Periodic::Step step);

    /// Deletes at most `rows` rows of each kind from `scopes`. The transaction may see the rows of these
    /// scopes. Returns the number of deleted rows.
    using Purge =
        std::function<std::size_t(pg::Tx& tx, std::vector<core::ScopeId> const& scopes, std::size_t rows)>;

    /// Adds a periodic task that purges all scopes, a batch of scopes at a time.
    void add_purge(std::string name, std::size_t rows, Purge purge);

    /// Adds a gauge that is read from the database at intervals: DatabaseGauges::add.
    void add_gauge(std::string const& name, std::string const& help, DatabaseGauges::Read read);

    /// Starts the workers, tasks and gauges that were added.
    void start();

    /// Wakes the workers of a queue, or all workers. Call these functions after `start()`.
    void on_notification(std::string const& queue) noexcept;
    void wake() noexcept;

    /// Asks the workers, tasks and gauges to stop. Returns at once.
    void request_stop() noexcept;

    /// Waits for the workers, tasks and gauges to stop. Call `request_stop` first, so that they stop
    /// together.
    void stop() noexcept;

private:
    void expect_jobs(std::string const& queue);
    jobs::Hooks hooks_of(std::string const& queue);
    void show_worker(std::string const& queue, std::size_t capacity, std::function<std::size_t()> in_flight);

    pg::Database& database_;
    Runtime const runtime_;
    observe::JobMetrics job_metrics_;
    DatabaseGauges gauges_;
    std::vector<std::function<void()>> starts_; ///< start the workers and tasks that were added
    std::vector<std::unique_ptr<jobs::Worker>> workers_;
    std::vector<std::unique_ptr<jobs::AsyncWorker>> async_workers_;
    std::vector<std::unique_ptr<jobs::Periodic>> periodics_;
};

} // namespace service
