#include "pg/database.hpp"

#include "core/backoff.hpp"
#include "pg/conninfo.hpp"
#include "pg/lane.hpp"
#include "pg/suspended.hpp"
#include "pg/transaction.hpp"

#include <boost/asio/this_coro.hpp>
#include <pqxx/except>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <variant>

namespace pg {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

using AnyJob = std::variant<Database::Job, Database::Errand>;

struct Item {
    AnyJob job;
    Clock::time_point queued;
};

/// A thread and its connection.
struct Worker {
    Watch watch;
    std::optional<Connection> connection;
    bool hopeful = true; ///< has no connection, but has not failed to make one either
    std::thread thread;
};

} // namespace

static void refuse(AnyJob& job, core::Error const& error)
{
    if (auto* transaction = std::get_if<Database::Job>(&job))
        transaction->finish(std::make_exception_ptr(error));
    else
        std::get<Database::Errand>(job).failed(error);
}

struct Database::Impl {
    explicit Impl(DatabaseOptions given);

    void submit(AnyJob job);
    void stop();

    void work(Worker& self);
    bool connect(Worker& self);
    void disconnect(Worker& self);
    bool back_off(unsigned attempt);
    bool next(std::optional<Item>& item);
    void run(Worker& self, AnyJob& job);
    void run_transaction(Connection& connection, Job& job);
    void leave();
    void supervise();

    /// Whether a job has a chance: there is a connection, or one may be made any moment. The lock is held.
    bool reachable() const { return connected + hopeful > 0; }

    void report(std::string const& event) const
    {
        if (options.report) options.report(event);
    }

    DatabaseOptions const options;
    std::shared_ptr<void const> const identity = std::make_shared<char>();
    std::string const conninfo, batch_conninfo;

    std::mutex mutex;
    std::condition_variable work_or_stop; ///< for idle workers
    std::condition_variable stopping;     ///< for workers without a connection, and the supervisor
    std::deque<Item> queue;
    unsigned idle = 0;    ///< workers waiting for a job
    unsigned hopeful = 0; ///< workers that are
    unsigned working = 0; ///< workers that have not ended
    bool stopped = false;
    std::atomic<unsigned> connected = 0; ///< workers with a connection
    std::atomic<bool> troubled = false;  ///< it was reported that a connection cannot be made

    std::vector<std::unique_ptr<Worker>> workers;
    std::thread supervisor;
    std::once_flag joined;
};

static std::map<std::string, std::string> session_settings(DatabaseOptions const& options)
{
    std::string const limit = std::to_string(options.statement_timeout.count());
    // A process that stalls within a transaction must not keep others waiting for its locks.
    return {{"statement_timeout", limit}, {"idle_in_transaction_session_timeout", limit}};
}

/// What Session promises of plans.
static std::map<std::string, std::string> batch_settings(DatabaseOptions const& options)
{
    auto settings = session_settings(options);
    settings.emplace("plan_cache_mode", "force_generic_plan");
    settings.emplace("enable_seqscan", "off");
    return settings;
}

Database::Impl::Impl(DatabaseOptions given)
    : options(std::move(given)),
      conninfo(complete_conninfo(options.url, options.application_name, session_settings(options))),
      batch_conninfo(complete_conninfo(options.url, options.application_name, batch_settings(options)))
{
    hopeful = working = options.threads;
    for (unsigned i = 0; i < options.threads; ++i)
        workers.push_back(std::make_unique<Worker>());
    for (auto& worker : workers)
        worker->thread = std::thread([this, &self = *worker] { work(self); });
    supervisor = std::thread([this] { supervise(); });
}

void Database::Impl::submit(AnyJob job)
{
    std::unique_lock lock(mutex);
    if (stopped || !reachable()) {
        lock.unlock();
        return refuse(job, unavailable());
    }
    if (queue.size() >= options.queue_limit) {
        lock.unlock();
        return refuse(job, core::Error::unavailable("the database is overloaded"));
    }
    queue.push_back({std::move(job), Clock::now()});
    bool const wake = idle > 0;
    lock.unlock();
    if (wake) work_or_stop.notify_one();
}

/// The life of a database thread. It takes jobs only while it has a connection.
void Database::Impl::work(Worker& self)
{
    unsigned attempt = 0;
    std::optional<Item> item;
    while (true) {
        if (!self.connection && !connect(self)) {
            if (!back_off(attempt++)) break;
            continue;
        }
        attempt = 0;
        if (!next(item)) break;
        if (self.connection->stale()) {
            disconnect(self);
            if (!connect(self)) {
                if (item) refuse(item->job, unavailable());
                continue;
            }
        }
        if (item) run(self, item->job);
        if (self.connection->lost()) disconnect(self);
    }
    disconnect(self);
    leave();
}

bool Database::Impl::connect(Worker& self)
{
    try {
        self.connection.emplace(conninfo, self.watch);
    } catch (std::exception const& failure) {
        if (!troubled.exchange(true)) report(std::string("database: cannot connect: ") + failure.what());
    }
    bool const made = self.connection.has_value();
    std::deque<Item> hopeless;
    {
        std::lock_guard const lock(mutex);
        if (made) ++connected;
        if (std::exchange(self.hopeful, false)) --hopeful;
        if (!reachable()) hopeless.swap(queue);
    }
    for (Item& item : hopeless)
        refuse(item.job, unavailable());
    if (made && troubled.exchange(false)) report("database: connected again");
    return made;
}

/// Drops the connection. A new one is worth waiting for until the first attempt to make it has failed.
void Database::Impl::disconnect(Worker& self)
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
/// database is stopped and no job is left.
bool Database::Impl::next(std::optional<Item>& item)
{
    item.reset();
    std::unique_lock lock(mutex);
    ++idle;
    work_or_stop.wait_for(lock, 1s, [this] { return stopped || !queue.empty(); });
    --idle;
    if (queue.empty()) return !stopped;
    item = std::move(queue.front());
    queue.pop_front();
    return true;
}

void Database::Impl::run(Worker& self, AnyJob& job)
{
    if (auto* transaction = std::get_if<Job>(&job)) return run_transaction(*self.connection, *transaction);
    std::get<Errand>(job).run();
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
    std::deque<Item> left;
    {
        std::lock_guard const lock(mutex);
        if (--working == 0) left.swap(queue);
        stopping.notify_all();
    }
    for (Item& item : left)
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
        std::deque<Item> expired;
        auto const oldest = Clock::now() - options.queue_timeout;
        while (!queue.empty() && queue.front().queued < oldest) {
            expired.push_back(std::move(queue.front()));
            queue.pop_front();
        }
        lock.unlock();
        for (Item& item : expired)
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

Database::Database(DatabaseOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

Database::~Database()
{
    stop();
}

bool Database::healthy() const noexcept
{
    return impl_->connected > 0;
}

std::size_t Database::queued() const noexcept
{
    std::lock_guard const lock(impl_->mutex);
    return impl_->queue.size();
}

DatabaseOptions const& Database::options() const noexcept
{
    return impl_->options;
}

void Database::stop()
{
    impl_->stop();
}

void Database::submit(Job job)
{
    impl_->submit(std::move(job));
}

void Database::submit(Errand errand)
{
    impl_->submit(std::move(errand));
}

std::shared_ptr<void const> Database::identity() const noexcept
{
    return impl_->identity;
}

asio::awaitable<ConnectionHandle> Database::connect()
{
    ConnectionHandle connection;
    std::exception_ptr failure;
    auto const start = [&](Suspended caller) {
        auto const waiting = std::make_shared<Suspended>(std::move(caller));
        auto const fail = [&failure, waiting](core::Error const& error) {
            failure = std::make_exception_ptr(error);
            Suspended::resume(std::move(*waiting));
        };
        submit(Errand{.run =
                          [this, &connection, waiting, fail] {
                              try {
                                  connection = Pipeline::connect(impl_->batch_conninfo);
                              } catch (std::exception const& error) {
                                  impl_->report(std::string("database: cannot connect: ") + error.what());
                                  return fail(unavailable());
                              }
                              Suspended::resume(std::move(*waiting));
                          },
            .failed = fail});
    };
    co_await suspend(start);
    if (failure) std::rethrow_exception(failure);
    co_return connection;
}

asio::awaitable<std::unique_ptr<Session>> Database::session()
{
    auto const lane = Lane::of(co_await asio::this_coro::executor, *this);
    auto pipeline = co_await lane->take(*this);
    co_return std::make_unique<BatchSession>(lane, std::move(pipeline));
}

asio::awaitable<void> Database::perform(Scopes scopes, Mode mode, std::function<void(Tx&)> work)
{
    std::exception_ptr failure;
    auto const start = [&](Suspended caller) {
        // std::function wants what can be copied.
        auto const waiting = std::make_shared<Suspended>(std::move(caller));
        submit(Job{std::move(scopes), mode, std::move(work), [waiting, &failure](std::exception_ptr result) {
                       failure = std::move(result);
                       Suspended::resume(std::move(*waiting));
                   }});
    };
    co_await suspend(start);
    if (failure) std::rethrow_exception(failure);
}

void Database::perform_blocking(Scopes scopes, Mode mode, std::function<void(Tx&)> work)
{
    // Shared, since the thread that keeps the promise may still be in it when the wait is over.
    auto const done = std::make_shared<std::promise<void>>();
    std::future<void> future = done->get_future();
    submit(Job{std::move(scopes), mode, std::move(work), [done](std::exception_ptr failure) {
                   if (failure)
                       done->set_exception(std::move(failure));
                   else
                       done->set_value();
               }});
    future.get();
}

} // namespace pg
