#include "jobs/periodic.hpp"

#include "core/id.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace jobs {

namespace {

bool claim_task(
    pg::Tx& tx, std::string const& name, core::Uuid const& token, core::Time until, core::Time now)
{
    auto const rows = tx.run(R"(
        INSERT INTO periodic_tasks AS t (name, next_at, lease_owner) VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at, lease_owner = excluded.lease_owner
        WHERE t.next_at <= $4
        RETURNING 1)",
        {name, until, token, now});
    return !rows.empty();
}

bool keep_task(pg::Tx& tx, std::string const& name, core::Uuid const& token, core::Time until)
{
    auto const result = tx.run(
        "UPDATE periodic_tasks SET next_at = $3 WHERE name = $1 AND lease_owner = $2", {name, token, until});
    return result.affected_rows() > 0;
}

void release_task(pg::Tx& tx, std::string const& name, core::Uuid const& token, core::Time next)
{
    tx.run("UPDATE periodic_tasks SET next_at = $3, lease_owner = NULL WHERE name = $1 AND lease_owner = $2",
        {name, token, next});
}

} // namespace

struct Periodic::Impl {
    Impl(pg::Database& d, core::Clock const& c, PeriodicOptions o, Step s,
        std::function<void(std::string_view)> f)
        : database(d), clock(c), options(std::move(o)), step(std::move(s)), failed(std::move(f)),
          thread([this](std::stop_token const& stop) { loop(stop); })
    {
    }

    void loop(std::stop_token const& stop)
    {
        bool reported = false; // once an outage
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
        bool const mine = database.transact_blocking(pg::Scopes{}, [&](pg::Tx& tx) {
            core::Time const now = clock.now();
            return claim_task(tx, options.name, token, now + options.lease, now);
        });
        if (!mine) return;
        bool finished = true;
        try {
            finished = run_steps(stop, token);
        } catch (std::exception const& e) {
            report(e.what());
        } catch (...) {
            report("unknown exception");
        }
        // Cut short by a shutdown, it is due at once, for another replica to go on.
        core::Time const next = finished ? clock.now() + options.interval : clock.now();
        database.transact_blocking(
            pg::Scopes{}, [&](pg::Tx& tx) { release_task(tx, options.name, token, next); });
    }

    void report(std::string_view what) const
    {
        if (failed) failed(what);
    }

    /// False when it was stopped before the task was done.
    bool run_steps(std::stop_token const& stop, core::Uuid const& token)
    {
        while (step(stop)) {
            if (stop.stop_requested()) return false;
            bool const mine = database.transact_blocking(pg::Scopes{},
                [&](pg::Tx& tx) { return keep_task(tx, options.name, token, clock.now() + options.lease); });
            if (!mine) return true; // somebody else goes on; releasing will find nothing
        }
        return true;
    }

    pg::Database& database;
    core::Clock const& clock;
    PeriodicOptions const options;
    Step const step;
    std::function<void(std::string_view)> const failed;
    std::mutex mutex;
    std::condition_variable_any wakeup;
    bool woken = false;
    std::jthread thread; ///< last: it uses all of the above
};

Periodic::Periodic(pg::Database& database, core::Clock const& clock, PeriodicOptions options, Step step,
    std::function<void(std::string_view what)> failed)
    : impl_(std::make_unique<Impl>(database, clock, std::move(options), std::move(step), std::move(failed)))
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
