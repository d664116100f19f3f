#include "jobs/periodic.hpp"

#include "core/id.hpp"
#include "pg/database.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace jobs {

namespace {

using Milliseconds = std::chrono::milliseconds;

bool claim_task(pg::Tx& tx, std::string const& name, core::Uuid const& token, Milliseconds lease)
{
    auto const rows = tx.run(R"(
        INSERT INTO periodic_tasks AS t (name, next_at, lease_owner)
        VALUES ($1, jobs_now() + $2::bigint * interval '1 millisecond', $3)
        ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at, lease_owner = excluded.lease_owner
        WHERE t.next_at <= jobs_now()
        RETURNING 1)",
        {name, lease.count(), token});
    return !rows.empty();
}

bool keep_task(pg::Tx& tx, std::string const& name, core::Uuid const& token, Milliseconds lease)
{
    auto const result = tx.run(R"(
        UPDATE periodic_tasks SET next_at = jobs_now() + $3::bigint * interval '1 millisecond'
        WHERE name = $1 AND lease_owner = $2)",
        {name, token, lease.count()});
    return result.affected_rows() > 0;
}

void release_task(pg::Tx& tx, std::string const& name, core::Uuid const& token, Milliseconds pause)
{
    tx.run(R"(
        UPDATE periodic_tasks SET next_at = jobs_now() + $3::bigint * interval '1 millisecond', lease_owner = NULL
        WHERE name = $1 AND lease_owner = $2)",
        {name, token, pause.count()});
}

} // namespace

struct Periodic::Impl {
    Impl(pg::Database& d, PeriodicOptions o, Step s, std::function<void(std::string_view)> f)
        : database(d), options(std::move(o)), step(std::move(s)), failed(std::move(f)),
          thread([this](std::stop_token const& stop) { loop(stop); })
    {
    }

    void loop(std::stop_token const& stop)
    {
        bool reported = false; // once per outage
        while (!stop.stop_requested()) {
            try {
                run_if_due(stop);
                reported = false;
            } catch (std::exception const& e) {
                if (!reported) report(e.what());
                reported = true;
            }
            std::unique_lock lock(mutex);
            wakeup.wait_for(lock, stop, options.poll, [&] { return woken; });
            woken = false;
        }
    }

    void run_if_due(std::stop_token const& stop)
    {
        core::Uuid const token = core::Uuid::v7();
        bool const mine = database.transact_blocking(
            pg::Scopes{}, [&](pg::Tx& tx) { return claim_task(tx, options.name, token, options.lease); });
        if (!mine) return;
        bool finished = true;
        try {
            finished = run_steps(stop, token);
        } catch (std::exception const& e) {
            report(e.what());
        } catch (...) {
            report("unknown exception");
        }
        // If a shutdown interrupted the task, the task is due at once, so that another replica continues it.
        Milliseconds const pause = finished ? options.interval : Milliseconds{0};
        database.transact_blocking(
            pg::Scopes{}, [&](pg::Tx& tx) { release_task(tx, options.name, token, pause); });
    }

    void report(std::string_view what) const
    {
        if (failed) failed(what);
    }

    /// Returns false if `stop` was requested before the task was done.
    bool run_steps(std::stop_token const& stop, core::Uuid const& token)
    {
        while (step(stop)) {
            if (stop.stop_requested()) return false;
            bool const mine = database.transact_blocking(
                pg::Scopes{}, [&](pg::Tx& tx) { return keep_task(tx, options.name, token, options.lease); });
            if (!mine) return true; // another replica has the lease, so `release_task` changes nothing
        }
        return true;
    }

    pg::Database& database;
    PeriodicOptions const options;
    Step const step;
    std::function<void(std::string_view)> const failed;
    std::mutex mutex;
    std::condition_variable_any wakeup;
    bool woken = false;
    std::jthread thread; ///< last member: it uses all of the above
};

Periodic::Periodic(pg::Database& database, PeriodicOptions options, Step step,
    std::function<void(std::string_view what)> failed)
    : impl_(std::make_unique<Impl>(database, std::move(options), std::move(step), std::move(failed)))
{
}

Periodic::~Periodic() = default;

void Periodic::wake() noexcept
{
    {
        std::lock_guard const lock(impl_->mutex);
        impl_->woken = true;
    }
    impl_->wakeup.notify_all();
}

void Periodic::request_stop() noexcept
{
    impl_->thread.request_stop();
}

void Periodic::stop() noexcept
{
    request_stop();
    if (impl_->thread.joinable()) impl_->thread.join();
}

} // namespace jobs
