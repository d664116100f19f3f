#include "service/database_gauges.hpp"

#include "jobs/backlog.hpp"
#include "jobs/failure.hpp"
#include "jobs/queue.hpp"
#include "pg/database.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

namespace service {

void DatabaseGauges::Since::set(std::optional<core::Time> time) noexcept
{
    time_ = time.value_or(core::Time::max());
}

double DatabaseGauges::Since::age(core::Clock const& clock) const noexcept
{
    core::Time const time = time_;
    core::Time const now = clock.now();
    return time < now ? std::chrono::duration<double>(now - time).count() : 0;
}

DatabaseGauges::DatabaseGauges(pg::Database& database, core::Clock const& clock, observe::Metrics& metrics,
    std::function<void(std::string_view what)> failed)
    : database_(database), clock_(clock), metrics_(metrics), failed_(std::move(failed))
{
}

DatabaseGauges::~DatabaseGauges()
{
    stop();
}

void DatabaseGauges::add_queue(std::string const& queue)
{
    auto const [it, added] = queues_.try_emplace(queue);
    if (!added) return;
    names_.push_back(queue);
    Queue const& of = it->second;
    auto const show = [&](std::string const& name, std::string const& help, std::function<double()> read) {
        metrics_.gauge_callback(name, help, std::move(read), {{"queue", queue}});
    };
    show("tetrad_queue_jobs", "Jobs that are due, running or scheduled; counted up to 10,000.",
        [&of] { return static_cast<double>(of.jobs); });
    show("tetrad_queue_due_jobs", "Due jobs that wait for a worker; counted up to 10,000.",
        [&of] { return static_cast<double>(of.due); });
    show("tetrad_queue_oldest_job_seconds", "Age of the job that was enqueued first.",
        [this, &of] { return of.oldest.age(clock_); });
    show("tetrad_queue_oldest_due_seconds", "Longest time that a due job has waited for a worker.",
        [this, &of] { return of.oldest_due.age(clock_); });
}

void DatabaseGauges::add_task(std::string const& task)
{
    // A task that never ran is due from the time it was registered.
    auto const [it, added] = tasks_.try_emplace(task, clock_.now());
    if (!added) return;
    metrics_.gauge_callback("tetrad_periodic_task_overdue_seconds",
        "How long ago the task should have begun.", [this, &due = it->second] { return due.age(clock_); },
        {{"task", task}});
}

void DatabaseGauges::add(std::string const& name, std::string const& help, Read read)
{
    auto& reading = readings_.emplace_back(std::move(read), std::numeric_limits<double>::quiet_NaN());
    metrics_.gauge_callback(name, help, [&reading] { return reading.value.load(); });
}

void DatabaseGauges::read()
{
    database_.transact_blocking(pg::Scopes(), [this](pg::Tx& tx) {
        // The times come from the database's clock, but ages are measured with this replica's clock. So the
        // times are shifted by the difference between the clocks.
        auto const ahead = clock_.now() - jobs::now(tx);
        read_queues(tx, ahead);
        for (auto const& [name, due] : jobs::next_runs(tx)) {
            if (auto const task = tasks_.find(name); task != tasks_.end()) task->second.set(due + ahead);
        }
        for (auto& reading : readings_)
            reading.value = reading.read(tx);
    });
}

void DatabaseGauges::read_queues(pg::Tx& tx, core::Time::duration ahead)
{
    auto const here = [&](std::optional<core::Time> time) { return time ? *time + ahead : time; };
    if (names_.empty()) return;
    for (auto const& backlog : jobs::read_backlogs(tx, names_)) {
        auto& queue = queues_.at(backlog.queue);
        queue.jobs = backlog.jobs;
        queue.due = backlog.due;
        queue.oldest.set(here(backlog.oldest));
        queue.oldest_due.set(here(backlog.oldest_due));
    }
}

void DatabaseGauges::read_quietly()
{
    try {
        read();
        reported_ = false;
    } catch (...) {
        auto const failure = std::current_exception();
        if (jobs::is_outage(failure) || std::exchange(reported_, true) || !failed_) return;
        failed_(jobs::describe(failure));
    }
}

void DatabaseGauges::start(std::chrono::milliseconds interval)
{
    thread_ = std::jthread([this, interval](std::stop_token const& stop) { loop(stop, interval); });
}

void DatabaseGauges::loop(std::stop_token const& stop, std::chrono::milliseconds interval)
{
    while (!stop.stop_requested()) {
        read_quietly();
        std::unique_lock lock(mutex_);
        wakeup_.wait_for(lock, stop, interval, [] { return false; });
    }
}

void DatabaseGauges::request_stop() noexcept
{
    thread_.request_stop();
}

void DatabaseGauges::stop() noexcept
{
    request_stop();
    if (thread_.joinable()) thread_.join();
}

} // namespace service
