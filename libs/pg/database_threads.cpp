#include "pg/database_threads.hpp"

#include "core/backoff.hpp"
#include "pg/conninfo.hpp"
#include "pg/transaction.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace pg {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

static void refuse(AnyJob& job, core::Error const& error)
{
    if (auto* transaction = std::get_if<Database::Job>(&job))
        transaction->finish(std::make_exception_ptr(error));
    else
        std::get<Database::Errand>(job).failed(error);
}

/// The tenant whose share of the threads and of the queue a job takes. Both its scopes are its own: it could
/// take two shares otherwise.
static std::int64_t tenant_of(AnyJob const& job)
{
    auto const* transaction = std::get_if<Database::Job>(&job);
    if (transaction == nullptr || transaction->scopes.ids().empty()) return nobody;
    auto const& ids = transaction->scopes.ids();
    auto const tenant = [](std::int64_t id) { return core::Scope{.id = id, .slug = {}}.tenant_id(); };
    auto const first = tenant(ids.front());
    return std::ranges::all_of(ids, [&](std::int64_t id) { return tenant(id) == first; }) ? first : nobody;
}

/// What one tenant may have of so many threads or places: all but a quarter, and but one at least. Less would
/// slow down a tenant that is alone; what is left is enough for the others' calls, which are short.
static std::size_t share_of(std::size_t all)
{
    return all < 2 ? all : all - std::max<std::size_t>(1, all / 4);
}

static Settings session_settings(DatabaseOptions const& options)
{
    std::string const limit = std::to_string(options.statement_timeout.count());
    // A process that stalls within a transaction must not keep others waiting for its locks. Notices would go
    // to stderr.
    return {{"statement_timeout", limit}, {"idle_in_transaction_session_timeout", limit},
        {"client_min_messages", "error"}};
}

/// The plan that is made once may be made while a table is small, and must be right when it no longer is.
static Settings batch_settings(DatabaseOptions const& options)
{
    auto settings = session_settings(options);
    settings.emplace("plan_cache_mode", "force_generic_plan");
    settings.emplace("enable_seqscan", "off");
    return settings;
}

static std::string conninfo_of(DatabaseOptions const& options, Settings const& settings)
{
    return options.transaction_pooling ? pooled_conninfo(options.url, options.application_name)
                                       : complete_conninfo(options.url, options.application_name, settings);
}

Database::Impl::Impl(DatabaseOptions given)
    : options(std::move(given)),
      transaction_settings(
          options.transaction_pooling ? pg::transaction_settings(session_settings(options)) : ""),
      conninfo(conninfo_of(options, session_settings(options))),
      batch_conninfo(conninfo_of(options, batch_settings(options)))
{
    hopeful = working = options.threads;
    for (unsigned i = 0; i < options.threads; ++i)
        workers.push_back(std::make_unique<DatabaseThread>());
    for (auto& worker : workers)
        worker->thread = std::thread([this, &self = *worker] { work(self); });
    supervisor = std::thread([this] { supervise(); });
}

void Database::Impl::submit(AnyJob job)
{
    auto const tenant = tenant_of(job);
    std::unique_lock lock(mutex);
    if (stopped || !reachable()) {
        lock.unlock();
        return refuse(job, unavailable());
    }
    auto const now = Clock::now();
    if (is_full_for(tenant, now)) {
        lock.unlock();
        return refuse(job, core::Error::unavailable("the database is overloaded"));
    }
    queue.push_back({std::move(job), now, tenant});
    bool const wake = idle > 0 && may_start(tenant);
    lock.unlock();
    if (wake) work_or_stop.notify_one();
}

bool Database::Impl::may_start(std::int64_t tenant) const
{
    if (tenant == nobody) return true;
    auto const running =
        std::ranges::count(workers, tenant, [](auto const& worker) { return worker->tenant; });
    return static_cast<std::size_t>(running) < share_of(workers.size());
}

std::deque<QueuedJob>::iterator Database::Impl::first_ready()
{
    // Once stopped there are no others to come for whom threads are kept.
    if (stopped) return queue.begin();
    // A share is more than half of the other threads, so there are no two tenants to pass over.
    std::optional<std::int64_t> crowded;
    auto it = queue.begin();
    for (; it != queue.end() && (it->tenant == crowded || !may_start(it->tenant)); ++it)
        crowded = it->tenant;
    return it;
}

bool Database::Impl::is_full_for(std::int64_t tenant, Clock::time_point now) const
{
    if (queue.size() >= options.queue_limit) return true;
    if (tenant == nobody) return false;
    auto const share = share_of(options.queue_limit);
    bool const may_fill_share = queue.size() >= share;
    if (may_fill_share &&
        static_cast<std::size_t>(std::ranges::count(queue, tenant, &QueuedJob::tenant)) >= share)
        return true;
    return is_behind(tenant, now);
}

bool Database::Impl::is_behind(std::int64_t tenant, Clock::time_point now) const
{
    auto const late = now - options.queue_timeout / 3;
    for (auto const& item : queue) { // the oldest first
        if (item.queued > late) return false;
        if (item.tenant == tenant) return true;
    }
    return false;
}

/// The life of a database thread. It takes jobs only while it has a connection.
void Database::Impl::work(DatabaseThread& self)
{
    unsigned attempt = 0;
    std::optional<QueuedJob> item;
    while (true) {
        if (!self.connection) {
            free_place(self);
            if (!connect(self)) {
                if (!back_off(attempt++)) break;
                continue;
            }
        }
        attempt = 0;
        if (!next(self, item)) break;
        if (self.connection->stale()) {
            report_lost(lost_while_idle);
            disconnect(self);
            if (!connect(self)) {
                if (item) refuse(item->job, unavailable());
                continue;
            }
        }
        if (item) run(self, item->job);
        if (self.connection->lost()) {
            report_lost(self.connection->why_lost());
            disconnect(self);
        }
    }
    disconnect(self);
    leave();
}

bool Database::Impl::connect(DatabaseThread& self)
{
    try {
        self.connection.emplace(conninfo, self.watch, transaction_settings);
    } catch (std::exception const& failure) {
        report_unreachable(failure.what());
    }
    bool const made = self.connection.has_value();
    std::deque<QueuedJob> hopeless;
    {
        std::lock_guard const lock(mutex);
        if (made) ++connected;
        if (std::exchange(self.hopeful, false)) --hopeful;
        if (!reachable()) hopeless.swap(queue);
    }
    for (QueuedJob& item : hopeless)
        refuse(item.job, unavailable());
    if (made) report_connected();
    return made;
}

void Database::Impl::report_lost(std::string_view why)
{
    if (options.report && !loss_reported.exchange(true))
        options.report("database: a connection was lost: " + loggable_reason(why));
}

void Database::Impl::report_unreachable(std::string_view why)
{
    if (options.report && !unreachable_reported.exchange(true))
        options.report("database: cannot connect: " + loggable_reason(why));
}

void Database::Impl::report_connected()
{
    bool const lost = loss_reported.exchange(false);
    bool const unreachable = unreachable_reported.exchange(false);
    if (lost || unreachable) options.report("database: connected again");
}

/// Drops the connection. A new one is worth waiting for until the first attempt to make it has failed.
void Database::Impl::disconnect(DatabaseThread& self)
{
    if (!self.connection) return;
    self.connection.reset();
    std::lock_guard const lock(mutex);
    --connected;
    ++hopeful;
    self.hopeful = true;
}

/// Waits before the next attempt to connect; false once the database is stopped.
bool Database::Impl::back_off(unsigned attempt)
{
    auto const delay = core::backoff(attempt, 100ms, 1s, std::random_device()());
    std::unique_lock lock(mutex);
    return !stopping.wait_for(lock, delay, [this] { return stopped; });
}

/// Waits for a job; returns without one now and then, so that an idle connection is looked at. False when the
/// database is stopped and no job is left. The oldest goes first, but for those of a tenant that has its
/// share of the threads: they wait for one of these, and keep their place before whatever came later.
bool Database::Impl::next(DatabaseThread& self, std::optional<QueuedJob>& item)
{
    item.reset();
    std::unique_lock lock(mutex);
    self.tenant = nobody;
    auto ready = queue.end();
    ++idle;
    work_or_stop.wait_for(lock, 1s, [&] {
        ready = first_ready();
        return stopped || ready != queue.end();
    });
    --idle;
    if (ready == queue.end()) return !stopped;
    self.tenant = ready->tenant;
    item = std::move(*ready);
    queue.erase(ready);
    return true;
}

/// For a thread that cannot take the next job, having no connection: its tenant's, which may have waited for
/// its place, are another's.
void Database::Impl::free_place(DatabaseThread& self)
{
    std::lock_guard const lock(mutex);
    if (std::exchange(self.tenant, nobody) != nobody) work_or_stop.notify_one();
}

void Database::Impl::run(DatabaseThread& self, AnyJob& job)
{
    ++busy;
    if (auto* transaction = std::get_if<Job>(&job))
        run_transaction(*self.connection, *transaction);
    else
        std::get<Errand>(job).run();
    --busy;
}

void Database::Impl::run_transaction(Connection& connection, Job& job)
{
    for (unsigned retries = 0;; ++retries) {
        Transaction tx(connection, job.scopes, job.mode);
        std::exception_ptr failure;
        try {
            job.work(tx);
            tx.commit();
        } catch (...) {
            failure = std::current_exception();
            tx.rollback();
        }
        if (!failure) return job.finish(nullptr);
        // What the server said decides, whatever the work made of it.
        Fault const fault = tx.failure() ? connection.fault_of(tx.failure()) : Fault::other;
        if (fault == Fault::retry && retries < retry_limit) continue;
        if (fault != Fault::other) failure = std::make_exception_ptr(unavailable());
        return job.finish(std::move(failure));
    }
}

/// The end of a worker. The last one answers whatever nobody could take any more.
void Database::Impl::leave()
{
    std::deque<QueuedJob> left;
    {
        std::lock_guard const lock(mutex);
        if (--working == 0) left.swap(queue);
        stopping.notify_all();
    }
    for (QueuedJob& item : left)
        refuse(item.job, unavailable());
}

/// Sees to it that nobody waits for long on a server that says nothing: jobs that no thread came for are
/// refused, and a connection on which nothing happens is broken.
void Database::Impl::supervise()
{
    // The server cancels at statement_timeout; a second later it is taken for dead.
    auto const silence_limit = options.statement_timeout + 1s;
    std::unique_lock lock(mutex);
    while (!stopping.wait_for(lock, 100ms, [this] { return working == 0; })) {
        std::deque<QueuedJob> expired;
        auto const oldest = Clock::now() - options.queue_timeout;
        while (!queue.empty() && queue.front().queued < oldest) {
            expired.push_back(std::move(queue.front()));
            queue.pop_front();
        }
        lock.unlock();
        for (QueuedJob& item : expired)
            refuse(item.job, core::Error::unavailable("the database is overloaded"));
        for (auto const& worker : workers)
            worker->watch.cut_after(silence_limit);
        lock.lock();
    }
}

void Database::Impl::stop()
{
    {
        std::lock_guard const lock(mutex);
        stopped = true;
    }
    work_or_stop.notify_all();
    stopping.notify_all();
    std::call_once(joined, [this] {
        for (auto const& worker : workers)
            worker->thread.join();
        supervisor.join();
    });
}

} // namespace pg
