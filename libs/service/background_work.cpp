#include "service/background_work.hpp"

#include "observe/trace.hpp"
#include "pg/database.hpp"
#include "tenancy/tenant_rows.hpp"

namespace service {

namespace {

constexpr std::size_t scopes_a_step = 500; ///< number of scopes that a step of a purge processes

} // namespace

BackgroundWork::BackgroundWork(pg::Database& database, Runtime const& runtime)
    : database_(database), runtime_(runtime), job_metrics_(runtime.metrics),
      gauges_(database, runtime.clock, runtime.metrics, [&logger = runtime.logger](std::string_view what) {
          logger.warn("the gauges of queues and tasks cannot be read from the database",
              {{"error", observe::first_line(what)}});
      })
{
}

void BackgroundWork::add_worker(jobs::WorkerOptions options, jobs::Handler handler)
{
    expect_jobs(options.queue);
    starts_.emplace_back([this, options = std::move(options), handler = std::move(handler)] {
        auto const& worker = *workers_.emplace_back(std::make_unique<jobs::Worker>(
            database_, runtime_.clock, options, handler, hooks_of(options.queue)));
        show_worker(options.queue, options.threads, [&worker] { return worker.in_flight(); });
    });
}

void BackgroundWork::add_worker(jobs::AsyncWorkerOptions options, jobs::AsyncHandler handler)
{
    expect_jobs(options.queue);
    starts_.emplace_back([this, options = std::move(options), handler = std::move(handler)] {
        auto const& worker = *async_workers_.emplace_back(std::make_unique<jobs::AsyncWorker>(
            database_, runtime_.clock, options, handler, hooks_of(options.queue)));
        show_worker(options.queue, options.capacity, [&worker] { return worker.in_flight(); });
    });
}

/// Creates the series of a queue's metrics.
void BackgroundWork::expect_jobs(std::string const& queue)
{
    gauges_.add_queue(queue);
    job_metrics_.create_series(queue, {"done", "retry", "dead", "lost"});
}

/// Counts and logs each run of the queue's jobs.
jobs::Hooks BackgroundWork::hooks_of(std::string const& queue)
{
    auto const ended = [this](jobs::Claim const& claim, std::string_view how, std::chrono::nanoseconds took) {
        job_metrics_.finished(claim.queue, how, took);
        runtime_.logger.info(
            "job", {{"queue", claim.queue}, {"scopeId", core::number(claim.scope_id)},
                       {"ref", claim.ref.to_string()}, {"attempt", claim.attempts}, {"outcome", how},
                       {"durationUs", std::chrono::duration_cast<std::chrono::microseconds>(took).count()},
                       {"traceId", observe::trace_id_of(claim.traceparent)}});
    };
    jobs::Hooks hooks;
    hooks.finished = [ended](jobs::Claim const& claim, jobs::Outcome::Kind kind, auto took) {
        ended(claim, jobs::to_string(kind), took);
    };
    hooks.lost = [ended](jobs::Claim const& claim) { ended(claim, "lost", {}); };
    hooks.failed = [this, queue](std::string_view what, jobs::Claim const* claim) {
        auto const& of = claim != nullptr ? *claim : jobs::Claim{};
        runtime_.logger.warn("a job failed",
            {{"queue", queue}, {"scopeId", core::number(of.scope_id)},
                {"ref", claim != nullptr ? of.ref.to_string() : ""}, {"error", observe::first_line(what)},
                {"traceId", observe::trace_id_of(of.traceparent)}});
    };
    return hooks;
}

void BackgroundWork::show_worker(
    std::string const& queue, std::size_t capacity, std::function<std::size_t()> in_flight)
{
    observe::Metrics::Labels const labels{{"queue", queue}};
    runtime_.metrics
        .gauge("tetrad_worker_threads", "Maximum number of jobs of the queue that this replica runs at once.",
            labels)
        .Set(static_cast<double>(capacity));
    runtime_.metrics.gauge_callback(
        "tetrad_worker_threads_busy", "Jobs of the queue that this replica runs at present.",
        [in_flight = std::move(in_flight)] { return static_cast<double>(in_flight()); }, labels);
}

void BackgroundWork::add_periodic(jobs::PeriodicOptions options, jobs::Periodic::Step step)
{
    gauges_.add_task(options.name);
    auto& failures = runtime_.metrics.counter("tetrad_periodic_task_failures_total",
        "Failed runs of a periodic task in this replica.", {{"task", options.name}});
    starts_.emplace_back([this, &failures, options = std::move(options), step = std::move(step)] {
        auto failed = [this, &failures, name = options.name](std::string_view what) {
            failures.Increment();
            runtime_.logger.warn(
                "a periodic task failed", {{"task", name}, {"error", observe::first_line(what)}});
        };
        periodics_.push_back(std::make_unique<jobs::Periodic>(database_, options, step, failed));
    });
}

void BackgroundWork::add_purge(std::string name, std::size_t rows, Purge purge)
{
    auto step = [this, rows, purge = std::move(purge), up_to = core::no_scope](
                    std::stop_token const&) mutable {
        auto const scopes = database_.transact_blocking(pg::Scopes(),
            [&](pg::Tx& tx) { return tenancy::tenant_rows::scopes_after(tx, up_to, scopes_a_step); });
        if (scopes.empty()) {
            up_to = core::no_scope;
            return false;
        }
        auto const purged = database_.transact_blocking(
            pg::Scopes(scopes), [&](pg::Tx& tx) { return purge(tx, scopes, rows); });
        if (purged < rows) up_to = scopes.back();
        return true;
    };
    add_periodic({.name = std::move(name)}, std::move(step));
}

void BackgroundWork::add_gauge(std::string const& name, std::string const& help, DatabaseGauges::Read read)
{
    gauges_.add(name, help, std::move(read));
}

void BackgroundWork::start()
{
    for (auto const& start : starts_)
        start();
    gauges_.start();
}

void BackgroundWork::on_notification(std::string const& queue) noexcept
{
    for (auto& worker : workers_)
        worker->on_notification(queue);
    for (auto& worker : async_workers_)
        worker->on_notification(queue);
}

void BackgroundWork::wake() noexcept
{
    for (auto& worker : workers_)
        worker->wake();
    for (auto& worker : async_workers_)
        worker->wake();
}

void BackgroundWork::request_stop() noexcept
{
    for (auto& worker : workers_)
        worker->request_stop();
    for (auto& worker : async_workers_)
        worker->request_stop();
    for (auto& periodic : periodics_)
        periodic->request_stop();
    gauges_.request_stop();
}

void BackgroundWork::stop() noexcept
{
    for (auto& worker : workers_)
        worker->stop();
    for (auto& worker : async_workers_)
        worker->stop();
    for (auto& periodic : periodics_)
        periodic->stop();
    gauges_.stop();
}

} // namespace service
