#pragma once

#include "core/error.hpp"
#include "pg/batch.hpp"
#include "pg/tx.hpp"

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

using PGconn = struct pg_conn; // as libpq-fe.h declares it

namespace pg {

namespace asio = boost::asio;

struct WireOptions; // private to pg, in wire.hpp

struct CloseConnection {
    void operator()(PGconn* connection) const noexcept;
};

using ConnectionHandle = std::unique_ptr<PGconn, CloseConnection>;

struct DatabaseOptions {
    std::string url;                         ///< libpq connection string or URI
    std::string application_name = "tetrad"; ///< shown in pg_stat_activity
    unsigned threads = 4;                    ///< one connection each
    /// Whether `url` is the address of a pooler that gives a session to another client after each
    /// transaction, like PgBouncer in transaction mode. If true, statements are not prepared but planned each
    /// time. The session settings are then applied to each transaction, in the message of its first
    /// statement.
    bool transaction_pooling = false;
    /// Maximum number of waiting transactions. It is also the maximum number of waiting callers of one
    /// Batcher on one I/O thread. A tenant and a scope may use their share of each limit. Further
    /// transactions and callers get 503.
    std::size_t queue_limit = 2000;
    /// A transaction that has not started after this time gets 503. A transaction that is expected to wait
    /// for more than half of this time gets 503 at once.
    std::chrono::milliseconds queue_timeout{3000};
    std::chrono::milliseconds statement_timeout{10'000}; ///< a statement that takes longer is cancelled: 503
    /// Called when a connection is lost, when a connection cannot be made, and when one is made again. The
    /// first two events are reported at most once until a connection is made. Also called when the server
    /// stops or resumes answering heartbeats. The text contains no part of `url`. Called on any thread, also
    /// concurrently. Must not block.
    std::function<void(std::string const& event)> report;
};

/// Access to PostgreSQL through a few threads with one connection each. Awaitables resume the caller on its
/// own executor. If the database is down or the queue is full, calls throw `core::Error` UNAVAILABLE (503) at
/// once. Calls throw the same error if a statement took too long, if the server's disk is full, and if the
/// outcome of a commit is unknown because the connection broke. Lost connections are replaced in the
/// background. Sessions use the time zone UTC. `synchronous_commit` is not set, so the value of the database
/// role applies.
///
/// The transactions of a tenant use at most `core::share_of` the threads: all but a quarter, and at least one
/// less than all (a single thread is not shared). The transactions of one scope use at most `share_of` the
/// tenant's threads. So even if many transactions of a scope wait for each other's locks, calls of other
/// tenants and of the tenant's other environment find a free thread. The places in the queue are shared in
/// the same way. Tenants take turns for the threads, and so do the scopes of a tenant.
///
/// A call that is expected to wait for more than half of `queue_timeout` is refused at once. The estimate
/// uses the recent pace at which the scope's transactions started, and the number of its waiting transactions
/// (`AdmissionQueue`).
///
/// Thread-safe. Call `stop` before the execution contexts of the callers are destroyed. Destroy the Database
/// after the last call has returned.
class Database {
public:
    /// Throws std::invalid_argument for a malformed url. Connections are made in the background.
    explicit Database(DatabaseOptions options);
    ~Database();
    Database(Database const&) = delete;
    Database& operator=(Database const&) = delete;

    /// Runs `work(Tx&)` in one transaction that sees `scopes`, commits, and returns its result. After a
    /// serialization failure or deadlock `work` runs again (at most 3 times, then UNAVAILABLE), so it must be
    /// repeatable. If `work` throws, the transaction is rolled back and the exception is rethrown. `work` may
    /// refer to local variables of the awaiting coroutine, because it never runs after this call has
    /// returned. Costs one round trip per statement and one for COMMIT. Without a statement, no message is
    /// sent.
    template <class Work>
    auto transact(Scopes scopes, Work work) -> asio::awaitable<std::invoke_result_t<Work&, Tx&>>;

    /// As `transact`, in a READ ONLY transaction with one snapshot (REPEATABLE READ).
    template <class Work>
    auto read(Scopes scopes, Work work) -> asio::awaitable<std::invoke_result_t<Work&, Tx&>>;

    /// As `transact`, but blocks the caller. For threads other than I/O threads (workers, subcommands,
    /// tests). Must not be called from within `work`, because that would deadlock.
    template <class Work>
    auto transact_blocking(Scopes scopes, Work work) -> std::invoke_result_t<Work&, Tx&>;

    /// Reserves a place in the queue for a later transaction of these scopes. Throws UNAVAILABLE if such a
    /// transaction would be refused now, so that a request fails before it does other expensive work.
    /// Destroying the returned pointer releases the place. Release it right before the transaction, and
    /// before the Database is destroyed.
    std::shared_ptr<void const> reserve(Scopes const& scopes);

    /// Whether at least one database thread has a connection and the server is not silent. Used by /readyz. A
    /// broken connection is noticed within about a second, even if it is idle.
    bool healthy() const noexcept;

    /// Sets whether the server is silent, that is, whether a heartbeat of a Listener has been unanswered for
    /// 2 s. While the server is silent, every new or queued call fails at once with UNAVAILABLE. A call that
    /// waits for the server fails within about `Wire::check_interval`, and its connection is closed. Does not
    /// block. Thread-safe.
    void set_silent(bool silent);

    bool silent() const noexcept;

    /// The number of calls that wait for a thread.
    std::size_t queued() const noexcept;

    /// The number of threads that run a call, at most `options().threads`.
    unsigned busy() const noexcept;

    /// The number of waiting callers of Batchers whose scopes run separately because another transaction
    /// held a lock.
    std::shared_ptr<std::atomic<std::int64_t>> const& separate_callers() const noexcept;

    DatabaseOptions const& options() const noexcept;

    /// Runs the queued calls, then ends the threads. Later calls throw UNAVAILABLE. Must not be called on a
    /// database thread.
    void stop();

    struct Impl; ///< in database_threads.hpp
    enum class Mode { read_write, read_only };

    /// A transaction as the queue stores it. `work` runs on a database thread with an open transaction.
    /// `finish` is called exactly once, on any thread or within `submit`, with the failure if there is one.
    struct QueuedTransaction {
        Scopes scopes;
        Mode mode = Mode::read_write;
        std::function<void(Tx&)> work;                  ///< may run again after a rollback
        std::function<void(std::exception_ptr)> finish; ///< after commit (null) or failure
    };

    void submit(QueuedTransaction call);

    /// Work that runs on a database thread but does not use the thread's connection. Exactly one of the two
    /// functions is called, once.
    struct Task {
        std::function<void()> run; ///< must not throw
        /// Called instead of `run`, on any thread or within `submit`.
        std::function<void(core::Error const&)> failed;
    };

    void submit(Task task);

    /// For Batcher: returns a BatchConnection with exclusive use of a connection of the calling coroutine's
    /// thread. The use ends when the BatchConnection is destroyed. The coroutine's io_context must be run by
    /// one thread. Connections whose `wait` is not `shared` use at most two of the thread's connections.
    /// Throws core::Error UNAVAILABLE.
    asio::awaitable<std::unique_ptr<BatchConnection>> batch_connection(LockWait wait = LockWait::shared);

    /// For `batch_connection`: the options of its connections.
    WireOptions wire_options(bool binary) const;

    /// For `batch_connection`: the statement that runs first in each transaction. It is "" unless
    /// `transaction_pooling` is set.
    std::string const& transaction_settings() const noexcept;

    /// For `batch_connection`: a new connection, made on a database thread.
    asio::awaitable<ConnectionHandle> connect();

    /// Reports why a connection made by `connect` was lost.
    void report_lost(std::string_view why);

    /// Returns a pointer whose address identifies this Database while the pointer is held.
    std::shared_ptr<void const> identity() const noexcept;

private:
    template <class Result>
    asio::awaitable<Result> perform_for(Scopes scopes, Mode mode, std::function<Result(Tx&)> work);
    asio::awaitable<void> perform(Scopes scopes, Mode mode, std::function<void(Tx&)> work);
    void perform_blocking(Scopes scopes, Mode mode, std::function<void(Tx&)> work);

    std::unique_ptr<Impl> impl_;
};

} // namespace pg

#include "pg/database_impl.hpp"
