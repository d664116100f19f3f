#include "pg/database_threads.hpp"

#include "core/backoff.hpp"
#include "pg/conninfo.hpp"
#include "pg/transaction.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace pg {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

static void refuse(QueuedCall& call, core::Error const& error)
{
    if (auto* transaction = std::get_if<Database::QueuedTransaction>(&call))
        transaction->finish(std::make_exception_ptr(error));
    else
        std::get<Database::Task>(call).failed(error);
}

/// Returns the owner whose shares a transaction of these scopes uses.
static core::Owner owner_of(Scopes const& scopes)
{
    auto const& ids = scopes.ids();
    if (ids.empty()) return {};
    auto const first = core::Owner::of(ids.front());
    if (ids.size() == 1) return first;
    bool const one_tenant =
        std::ranges::all_of(ids, [&](core::ScopeId id) { return core::tenant_of(id) == first.tenant; });
    return one_tenant ? core::Owner{.tenant = first.tenant} : core::Owner{};
}

static core::Owner owner_of(QueuedCall const& call)
{
    auto const* transaction = std::get_if<Database::QueuedTransaction>(&call);
    return transaction != nullptr ? owner_of(transaction->scopes) : core::Owner{};
}

static core::Error overloaded(AdmissionQueue<QueuedCall>::Seconds wait)
{
    auto const seconds = static_cast<unsigned>(std::clamp(std::ceil(wait.count()), 1.0, 30.0));
    return core::Error::unavailable("The database is overloaded. Retry later.", seconds);
}

static Settings session_settings(DatabaseOptions const& options)
{
    std::string const limit = std::to_string(options.statement_timeout.count());
    // If this process stops within a transaction, the server ends the session after
    // `idle_in_transaction_session_timeout`, so that the transaction does not hold its locks for long. The
    // server sends no notices, because libpq would print them to stderr.
    return {{"statement_timeout", limit}, {"idle_in_transaction_session_timeout", limit},
        {"client_min_messages", "error"}};
}

/// Sequential scans are disabled, because a generic plan may be made while a table is small and used when the
/// table is large.
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
      batch_conninfo(conninfo_of(options, batch_settings(options))),
      queue({.threads = options.threads, .limit = options.queue_limit, .timeout = options.queue_timeout})
{
    connecting = working = options.threads;
    for (unsigned i = 0; i < options.threads; ++i)
        workers.push_back(std::make_unique<DatabaseThread>());
    for (auto& worker : workers)
        worker->thread = std::thread([this, &self = *worker] { work(self); });
    supervisor = std::thread([this] { supervise(); });
}

void Database::Impl::submit(QueuedCall call)
{
    auto const owner = owner_of(call);
    std::unique_lock lock(mutex);
    if (stopped || silent || !reachable()) {
        lock.unlock();
        return refuse(call, unavailable());
    }
    auto const now = Clock::now();
    if (auto const wait = queue.refusal(owner, now)) {
        lock.unlock();
        return refuse(call, overloaded(*wait));
    }
    queue.push(owner, std::move(call), now);
    bool const wake = idle > 0 && queue.may_start(owner);
    lock.unlock();
    if (wake) work_or_stop.notify_one();
}

void Database::Impl::set_silent(bool now)
{
    std::vector<QueuedCall> refused;
    {
        std::lock_guard const lock(mutex);
        if (silent.exchange(now) == now) return;
        if (now) refused = queue.remove_all();
    }
    for (QueuedCall& call : refused)
        refuse(call, unavailable());
    if (options.report)
        options.report(now ? "database: the server does not answer" : "database: the server answers again");
}

WireOptions Database::Impl::wire_options(bool binary) const
{
    // The server cancels a statement after `statement_timeout`. If it has sent nothing one second later, the
    // connection counts as lost.
    return {.prepares = !options.transaction_pooling,
        .binary = binary,
        .silence_limit = options.statement_timeout + 1s,
        .server_silent = silent};
}

std::shared_ptr<void const> Database::Impl::reserve(Scopes const& scopes)
{
    auto const owner = owner_of(scopes);
    std::lock_guard const lock(mutex);
    if (stopped || silent || !reachable()) throw unavailable();
    if (auto const wait = queue.refusal(owner, Clock::now())) throw overloaded(*wait);
    queue.reserve(owner);
    return {static_cast<void const*>(this), [this, owner](void const*) {
                std::lock_guard const released(mutex);
                queue.release(owner);
            }};
}

/// The loop of a database thread. It takes calls only while it has a connection.
void Database::Impl::work(DatabaseThread& self)
{
    unsigned attempt = 0;
    std::optional<QueuedCall> item;
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
                if (item) refuse(*item, unavailable());
                continue;
            }
        }
        if (item) run(self, *item);
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
        self.connection.emplace(conninfo, wire_options(false), transaction_settings);
    } catch (std::exception const& failure) {
        report_unreachable(failure.what());
    }
    bool const made = self.connection.has_value();
    std::vector<QueuedCall> refused;
    {
        std::lock_guard const lock(mutex);
        if (made) ++connected;
        if (std::exchange(self.connecting, false)) --connecting;
        if (!reachable()) refused = queue.remove_all();
    }
    for (QueuedCall& call : refused)
        refuse(call, unavailable());
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

/// Closes the connection. Queued calls continue to wait until the first attempt to replace the connection has
/// failed.
void Database::Impl::disconnect(DatabaseThread& self)
{
    if (!self.connection) return;
    self.connection.reset();
    std::lock_guard const lock(mutex);
    --connected;
    ++connecting;
    self.connecting = true;
}

/// Waits before the next attempt to connect. Returns false once the database is stopped.
bool Database::Impl::back_off(unsigned attempt)
{
    auto const delay = core::backoff(attempt, 100ms, 1s, std::random_device()());
    std::unique_lock lock(mutex);
    return !stopping.wait_for(lock, delay, [this] { return stopped; });
}

/// Waits for a call and stores it in `item`. After one second without a call, returns with `item` empty, so
/// that the idle connection is checked. Returns false if the database is stopped and no call is left.
bool Database::Impl::next(DatabaseThread& self, std::optional<QueuedCall>& item)
{
    item.reset();
    std::unique_lock lock(mutex);
    end_call(self);
    ++idle;
    work_or_stop.wait_for(lock, 1s, [&] { return take(self, item) || stopped; });
    --idle;
    if (!item) return !stopped;
    // Another waiting call may be able to start too. If its owner was at its limit at `submit`, no thread was
    // woken for it.
    bool const wake = idle > 0 && queue.has_ready();
    lock.unlock();
    if (wake) work_or_stop.notify_one();
    return true;
}

bool Database::Impl::take(DatabaseThread& self, std::optional<QueuedCall>& item)
{
    auto const now = Clock::now();
    // After `stop` no new calls arrive, so no thread has to be kept free for other tenants.
    auto taken = queue.take(now, stopped);
    if (!taken) return false;
    self.owner = taken->first;
    self.started = now;
    item = std::move(taken->second);
    return true;
}

void Database::Impl::end_call(DatabaseThread& self)
{
    if (!self.owner) return;
    queue.finish(*self.owner, Clock::now() - self.started);
    self.owner.reset();
}

/// Called by a thread that has lost its connection and cannot take the next call. Records the end of its last
/// call, so that another thread may take the next call.
void Database::Impl::free_place(DatabaseThread& self)
{
    std::lock_guard const lock(mutex);
    if (!self.owner) return;
    end_call(self);
    work_or_stop.notify_one();
}

void Database::Impl::run(DatabaseThread& self, QueuedCall& call)
{
    ++busy;
    if (auto* transaction = std::get_if<QueuedTransaction>(&call))
        run_transaction(*self.connection, *transaction);
    else
        std::get<Task>(call).run();
    --busy;
}

void Database::Impl::run_transaction(Connection& connection, QueuedTransaction& call)
{
    for (unsigned retries = 0;; ++retries) {
        Transaction tx(connection, call.scopes, call.mode);
        std::exception_ptr failure;
        try {
            call.work(tx);
            tx.commit();
        } catch (...) {
            failure = std::current_exception();
            tx.rollback();
        }
        if (!failure) return call.finish(nullptr);
        // If a statement failed because of the server, that failure is reported, even if `work` threw another
        // exception.
        FailureKind const kind = tx.failure() ? connection.failure_kind(tx.failure()) : FailureKind::other;
        if (kind == FailureKind::retry && retries < retry_limit) continue;
        if (kind != FailureKind::other) failure = std::make_exception_ptr(unavailable());
        return call.finish(std::move(failure));
    }
}

/// Called at the end of a worker. The last worker refuses the remaining calls.
void Database::Impl::leave()
{
    std::vector<QueuedCall> left;
    {
        std::lock_guard const lock(mutex);
        if (--working == 0) left = queue.remove_all();
        stopping.notify_all();
    }
    for (QueuedCall& call : left)
        refuse(call, unavailable());
}

/// Refuses calls that were not started in time.
void Database::Impl::supervise()
{
    std::unique_lock lock(mutex);
    while (!stopping.wait_for(lock, 100ms, [this] { return working == 0; })) {
        auto const now = Clock::now();
        auto expired = queue.remove_late(now);
        lock.unlock();
        for (QueuedCall& call : expired)
            refuse(call, overloaded(options.queue_timeout));
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
