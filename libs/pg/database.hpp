#pragma once

#include "core/error.hpp"
#include "core/identity.hpp"
#include "core/scope.hpp"
#include "pg/param.hpp"
#include "pg/rows.hpp"

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

using PGconn = struct pg_conn; // as libpq-fe.h declares it

namespace pg {

namespace asio = boost::asio;

struct WireOptions; // private to pg, in wire.hpp

/// The ids of the scopes whose rows a transaction may see. Row-level security compares them with each row
/// (setting `app.scopes`). If the list is empty, the transaction sees only tables without row-level security
/// (tenants, key look-up, job queue).
class Scopes {
public:
    Scopes() = default;

    Scopes(core::ScopeId id) : ids_{id} {}

    Scopes(core::Scope const& scope) : ids_{scope.id} {}

    explicit Scopes(std::vector<core::ScopeId> ids) : ids_(std::move(ids)) {}

    /// Sorts the ids and removes repetitions.
    static Scopes distinct(std::vector<core::ScopeId> ids);

    /// Both scopes of a tenant, for transactions that read or write both environments.
    static Scopes of_tenant(core::TenantId id)
    {
        auto const both = core::scopes_of(id);
        return Scopes(std::vector<core::ScopeId>(both.begin(), both.end()));
    }

    std::vector<core::ScopeId> const& ids() const noexcept { return ids_; }

private:
    std::vector<core::ScopeId> ids_;
};

/// An open transaction. Use it only on the database thread that runs `work`. Each connection prepares a
/// statement on first use, and finds it by its text later. So `sql` must be a constant or one of a bounded
/// set of texts.
class Tx {
public:
    virtual ~Tx() = default;

    /// Runs one statement. Its values are bound and never part of its text. Throws libpqxx's exceptions
    /// (`pqxx::unique_violation`, ...). After a failure the transaction cannot continue, and `work` should
    /// throw. If `work` returns nevertheless, its result is dropped, and the failure counts as thrown by
    /// `work`.
    virtual Rows run(std::string_view sql, std::span<Param const> params) = 0;

    Rows run(std::string_view sql, Params params = {})
    {
        return run(sql, std::span(params.begin(), params.size()));
    }
};

/// A batch needed a lock that another transaction holds, or exceeded `statement_timeout`. The statement had
/// no effect. A Batcher catches this error and runs the scopes of the batch separately. For other callers
/// the error is UNAVAILABLE.
class Stalled : public core::Error {
public:
    enum class Cause {
        scope_lock, ///< another transaction holds the locks of `scopes`
        row_lock,   ///< a row or a table was not free within the session's wait
        timeout,    ///< `statement_timeout`
    };

    explicit Stalled(Cause cause, std::vector<core::ScopeId> scopes = {})
        : core::Error(
              core::Error::unavailable("The data is locked, or the database took too long. Retry later.")),
          cause_(cause), scopes_(std::move(scopes))
    {
    }

    Cause cause() const noexcept { return cause_; }

    /// The scopes known to be locked, ascending; empty unless the cause is `scope_lock`.
    std::vector<core::ScopeId> const& scopes() const noexcept { return scopes_; }

private:
    Cause cause_;
    std::vector<core::ScopeId> scopes_;
};

/// How long a BatchConnection's statements wait for locks of other transactions.
enum class LockWait {
    /// For a batch of several scopes: does not wait for a scope's lock, and waits at most 100 ms for a row.
    shared,
    /// For a batch of one scope: waits at most 100 ms for the scope's lock (in the server's queue) or for a
    /// row.
    alone,
    /// For a batch of one scope: does not wait for the scope's lock, and waits at most 10 ms for a row.
    brief,
};

/// Runs a batch on its caller's own thread. Each call sends one message with `SELECT
/// set_config('app.scopes', …)` and the statement. The message is one implicit transaction, which is
/// committed when the call returns. After a serialization failure or deadlock, the message is sent again, at
/// most 3 times. Throws
/// - Stalled if another transaction holds a lock or the statement took too long;
/// - core::Error UNAVAILABLE for other failures of the server (connection lost, out of resources);
/// - libpqxx's exceptions for other failures.
///
/// Each connection plans a statement once for all calls, without sequential scans if an index is usable. By
/// default, the server would plan each batch again, because its row estimates depend on the length of the
/// arrays. Planning costs more than running the batch.
class BatchConnection {
public:
    virtual ~BatchConnection() = default;
    virtual asio::awaitable<Rows> run(
        Scopes const& scopes, std::string_view sql, std::span<Param const> params) = 0;

    asio::awaitable<Rows> run(Scopes const& scopes, std::string_view sql, Params params)
    {
        return run(scopes, sql, std::span(params.begin(), params.size()));
    }

    /// As `run`, but first takes the advisory locks of the scopes in the same message and holds them until
    /// the commit. So within a scope, transactions commit in the order of their `clock_timestamp()`. If a
    /// lock is not available, throws Stalled, which names the locked scopes. The server may run the statement
    /// even in this case, but with empty `app.scopes`. The statement must then change nothing. So it must
    /// skip inputs whose scope is not in `app.scopes`. For example, an INSERT that reads its inputs as `u`
    /// needs this condition:
    ///
    ///     WHERE u.scope_id = ANY (string_to_array(current_setting('app.scopes'), ',')::bigint[])
    virtual asio::awaitable<Rows> run_with_scope_locks(
        Scopes const& scopes, std::string_view sql, std::span<Param const> params) = 0;
};

/// The distinct `scope_id` values of a batch's inputs.
template <class In> Scopes scopes_of(std::span<In const> inputs)
{
    std::vector<core::ScopeId> ids;
    ids.reserve(inputs.size());
    for (In const& input : inputs)
        ids.push_back(input.scope_id);
    return Scopes::distinct(std::move(ids));
}

/// The return type of a Batcher's work.
template <class Out> using Batch = asio::awaitable<std::vector<Out>>;

/// Takes the scope's advisory lock until the transaction ends, like `BatchConnection::run_with_scope_locks`.
/// The key of the lock is a bigint with `0x53` in the top byte and the scope's id in the other bytes.
void lock_scope(Tx& tx, core::ScopeId scope_id);

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
