#pragma once

#include "jobs/end_claims.hpp"
#include "jobs/worker.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace jobs {

class AsyncWorker;

/// The handler of an AsyncWorker. A handler that only uses the database can end each job in `begin` and do
/// its work in `record`: one transaction for many jobs.
struct AsyncHandler {
    /// Starts jobs that were claimed together. Called on the worker's thread. It may run one transaction for
    /// all these jobs, but must not wait until a job is done. Later the handler must end each job once, by
    /// `AsyncWorker::finish` or `fail`, on any thread. If `begin` throws, it must not have started any of
    /// these jobs. All of them are then retried with backoff.
    std::function<void(std::vector<Claim>, AsyncWorker&, std::stop_token const&)> begin;

    /// Writes the outcomes of runs, in the transaction that ends their claims. The transaction sees the
    /// scopes of the runs. `record` gets only runs whose lease is still held. It may be called more than once
    /// for the same runs. If the database refuses the data of a job, the job is given up, as with
    /// Outcome::record.
    std::function<void(pg::Tx&, std::span<FinishedRun const* const>)> record;

    /// Must end the started jobs that have not begun their work yet, for example jobs that wait for a free
    /// connection. Called once, when the worker is stopping, after the last `begin`.
    std::function<void(AsyncWorker&)> stop = {};
};

struct AsyncWorkerOptions {
    std::string queue;
    std::size_t capacity = 1'024; ///< maximum number of concurrent jobs
    /// Maximum number of jobs of one scope per claim, so that scopes take turns.
    std::size_t claim_per_scope = 32;
    /// If set, a further limit for the number of concurrent jobs of a tenant. It may change with time.
    /// `core::no_tenant` stands for a tenant that holds no job. Called before each claim.
    std::function<std::size_t(core::TenantId)> limit_of_tenant = {};
    std::chrono::milliseconds lease{60'000}; ///< as WorkerOptions'
    /// Interval between searches for due jobs when there is no notification.
    std::chrono::milliseconds poll{1'000};
    /// Shortest interval between two rounds of claims, and between two transactions with outcomes unless many
    /// wait. So under load one statement serves many jobs. A job that comes after a pause does not wait.
    std::chrono::milliseconds gather{10};
    std::optional<std::chrono::milliseconds> takeover_delay = std::nullopt; ///< as WorkerOptions'
    std::chrono::milliseconds stop_timeout{15'000};                         ///< as WorkerOptions'
    std::function<void(pg::Tx&, Claim const&)> on_dead = {};                ///< as WorkerOptions'
};

/// Runs the jobs of one queue like Worker, but up to `capacity` jobs concurrently. For handlers that use no
/// thread while they wait. The worker has two threads: one claims jobs in bulk, the other writes outcomes in
/// bulk.
///
/// The two scopes of a tenant together may hold a number of jobs up to a third of the capacity that is free
/// at the time (core::Shares). If no other tenant has jobs, this limit is a quarter of the whole capacity. So
/// some capacity is always free for one more tenant. One claim may exceed the limit by one job.
///
/// If outcomes of several scopes cannot be written in one transaction, each scope's outcomes are written
/// separately. So a scope whose rows are locked, or whose outcomes the database refuses, does not delay the
/// outcomes of other scopes.
class AsyncWorker {
public:
    /// Starts at once. `database` and `clock` must outlive the worker.
    AsyncWorker(pg::Database& database, core::Clock const& clock, AsyncWorkerOptions options,
        AsyncHandler handler, Hooks hooks = {});

    /// As `stop()`.
    ~AsyncWorker();
    AsyncWorker(AsyncWorker const&) = delete;
    AsyncWorker& operator=(AsyncWorker const&) = delete;

    /// Ends a started run and queues its outcome to be written. Thread-safe. Returns at once.
    void finish(FinishedRun run);

    /// As `finish`, for a run that failed with an exception: calls Hooks::failed and retries the job with
    /// backoff.
    void fail(Claim claim, std::exception_ptr const& failure);

    /// As Worker's functions.
    void on_notification(std::string_view payload) noexcept;
    void wake() noexcept;

    /// Stops claiming and asks runs to end early. Returns at once.
    void request_stop() noexcept;

    /// Stops claiming and waits until every run has ended and its outcome is written. If the database is
    /// down, waits for at most `stop_timeout`.
    void stop() noexcept;

    /// The number of jobs that the worker holds: running jobs, and jobs whose outcome is not written yet.
    std::size_t in_flight() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace jobs
