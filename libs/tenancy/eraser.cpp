#include "tenancy/eraser.hpp"

#include "core/error.hpp"
#include "pg/database.hpp"
#include "pg/row.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

namespace tenancy {

namespace {

using Steady = std::chrono::steady_clock;

/// The time limit of a step. It must be much shorter than the lease of the periodic task, so that no other
/// replica takes over the task.
constexpr std::chrono::seconds step_budget{60};

/// A tenant to erase. If `gone`, the tenant was erased already, and its scopes are erased a second time.
struct Due {
    core::Scope production, sandbox;
    bool gone = false;

    core::TenantId id() const noexcept { return production.tenant_id(); }
};

/// Reads the id, the slug, and whether the tenant was erased.
Due read_due(pg::RowReader& r)
{
    core::TenantId const id = r.tenant_id();
    std::string const slug = r.text();
    return {core::Scope::of(id, core::Environment::production, slug),
        core::Scope::of(id, core::Environment::sandbox, slug), r.boolean()};
}

std::optional<Due> next_due(pg::Tx& tx, core::Time now, core::Time gone_before, core::TenantId after)
{
    auto const rows = tx.run(R"(
        SELECT id, slug, gone
        FROM (
            SELECT tenant_id AS id, slug, false AS gone
            FROM tenants
            WHERE erase_after <= $1
            UNION ALL
            SELECT erased_id, slug, true
            FROM tenant_erasures
            WHERE erased_at <= $2
        ) AS due
        WHERE id > $3
        ORDER BY id
        LIMIT 1)",
        {now, gone_before, after});
    return pg::read_first(rows, read_due);
}

/// Begins the erasure, which can no longer be cancelled. Returns nullopt if no erasure is due, because it was
/// cancelled or the tenant was erased already.
std::optional<Due> begin(pg::Tx& tx, core::TenantId id, core::Time now)
{
    auto const rows = tx.run(R"(
        UPDATE tenants
        SET erasure_began_at = coalesce(erasure_began_at, $2)
        WHERE tenant_id = $1 AND erase_after <= $2
        RETURNING tenant_id, slug, false)",
        {id, now});
    return pg::read_first(rows, read_due);
}

void finish(pg::Tx& tx, Due const& due, core::Time now)
{
    if (due.gone) {
        tx.run("DELETE FROM tenant_erasures WHERE erased_id = $1", {due.id()});
        return;
    }
    tx.run(R"(
        WITH gone AS (DELETE FROM tenants WHERE tenant_id = $1 RETURNING tenant_id, slug)
        INSERT INTO tenant_erasures (erased_id, slug, erased_at)
        SELECT tenant_id, slug, $2
        FROM gone)",
        {due.id(), now});
}

/// Deletes one batch of rows. If no row was left, ends the erasure and returns true.
bool erase_batch(pg::Tx& tx, Due const& due, std::size_t batch, core::Time now)
{
    auto const rows = tx.run("SELECT erase_tenant_rows($1, $2)", {due.id(), batch});
    if (pg::RowReader(rows[0]).integer() > 0) return false;
    finish(tx, due, now);
    return true;
}

} // namespace

struct Eraser::Impl {
    Impl(pg::Database& db, core::Clock const& c, std::vector<Hook> h, EraserOptions const& o)
        : database(db), clock(c), hooks(std::move(h)), options(o)
    {
    }

    /// Returns true when the erasure is complete, and false if it was stopped or the deadline has passed.
    bool erase(Due const& due, Steady::time_point deadline, std::stop_token const& stop)
    {
        for (core::Scope const& scope : {due.production, due.sandbox})
            for (Hook const& hook : hooks)
                hook(scope);
        while (!stop.stop_requested() && !stopping && Steady::now() < deadline) {
            bool const done = database.transact_blocking(
                pg::Scopes(), [&](pg::Tx& tx) { return erase_batch(tx, due, options.batch, clock.now()); });
            if (done) return true;
        }
        return false;
    }

    bool erase_tenant(core::TenantId id, Steady::time_point deadline, std::stop_token const& stop)
    {
        auto const due =
            database.transact_blocking(pg::Scopes(), [&](pg::Tx& tx) { return begin(tx, id, clock.now()); });
        return !due || erase(*due, deadline, stop);
    }

    std::optional<Due> next()
    {
        return database.transact_blocking(pg::Scopes(), [&](pg::Tx& tx) {
            core::Time const now = clock.now();
            return next_due(tx, now, now - options.sweep_after, after);
        });
    }

    /// Ends a run. The next run starts with the first tenant again.
    void end_run()
    {
        after = core::no_tenant;
        if (auto const error = std::exchange(failure, nullptr)) std::rethrow_exception(error);
    }

    pg::Database& database;
    core::Clock const& clock;
    std::vector<Hook> const hooks;
    EraserOptions const options;
    std::atomic<bool> stopping = false;

    std::mutex run_mutex;       ///< protects the state of the run: `after` and `failure`
    core::TenantId after{};     ///< tenants up to this id have been processed
    std::exception_ptr failure; ///< the first failure of this run

    asio::thread_pool thread{1}; ///< for `erase_now`; destroyed first
};

Eraser::Eraser(
    pg::Database& database, core::Clock const& clock, std::vector<Hook> hooks, EraserOptions options)
    : impl_(std::make_unique<Impl>(database, clock, std::move(hooks), options))
{
}

Eraser::~Eraser()
{
    stop();
}

bool Eraser::step(std::stop_token const& stop)
{
    std::lock_guard const lock(impl_->run_mutex);
    auto const due = impl_->next();
    if (!due) {
        impl_->end_run();
        return false;
    }
    try {
        auto const deadline = Steady::now() + step_budget;
        bool const done =
            due->gone ? impl_->erase(*due, deadline, stop) : impl_->erase_tenant(due->id(), deadline, stop);
        if (done) impl_->after = due->id();
    } catch (...) {
        // The run continues with the next tenant, because a tenant whose blobs cannot be reached must not
        // delay the others.
        impl_->after = due->id();
        if (!impl_->failure) impl_->failure = std::current_exception();
    }
    return !stop.stop_requested() && !impl_->stopping;
}

asio::awaitable<bool> Eraser::erase_now(core::TenantId tenant_id)
{
    if (impl_->stopping) throw core::Error::unavailable("The service is shutting down. Retry later.");
    auto work = [impl = impl_.get(), tenant_id]() -> asio::awaitable<bool> {
        co_return impl->erase_tenant(
            tenant_id, Steady::now() + impl->options.erase_now_timeout, std::stop_token());
    };
    co_return co_await asio::co_spawn(impl_->thread.get_executor(), std::move(work), asio::use_awaitable);
}

void Eraser::stop() noexcept
{
    impl_->stopping = true;
    impl_->thread.join();
}

} // namespace tenancy
