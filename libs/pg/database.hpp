#pragma once

#include "core/error.hpp"
#include "core/identity.hpp"
#include "pg/param.hpp"
#include "pg/rows.hpp"

#include <boost/asio/awaitable.hpp>

#include <algorithm>
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

/// The scopes whose rows a transaction may see: what row-level security checks (`app.scopes`). Empty: no
/// tenant's rows at all, only the registry's (tenants, key look-up, job queue).
class Scopes {
public:
    Scopes() = default;

    Scopes(std::int64_t id) : ids_{id} {}

    Scopes(core::Scope const& scope) : ids_{scope.id} {}

    explicit Scopes(std::vector<std::int64_t> ids) : ids_(std::move(ids)) {}

    std::vector<std::int64_t> const& ids() const noexcept { return ids_; }

private:
    std::vector<std::int64_t> ids_;
};

/// An open transaction, used on its database thread only. Statements are prepared on first use on each
/// connection, keyed by their text, so `sql` is a constant or one of a bounded set of composed texts.
class Tx {
public:
    virtual ~Tx() = default;

    /// Runs one statement, whose values are bound and never part of its text. Throws libpqxx's exceptions
    /// (`pqxx::unique_violation`, ...). After a failure the transaction is lost: `work` ends by throwing; if
    /// it does not, the failure is thrown for it.
    virtual Rows run(std::string_view sql, std::span<Param const> params) = 0;

    Rows run(std::string_view sql, Params params = {})
    {
        return run(sql, std::span(params.begin(), params.size()));
    }
};

/// What a batch ends with that met a lock of another transaction, or exceeded `statement_timeout`: nothing of
/// its last message was done. UNAVAILABLE for callers. Coalescer runs the scopes of such a batch one by one.
class Stalled : public core::Error {
public:
    enum class Cause {
        scope_lock, ///< another transaction holds the locks of `scopes`
        row_lock,   ///< a row or a table was not free within the session's wait
        timeout,    ///< `statement_timeout`
    };

    explicit Stalled(Cause cause, std::vector<std::int64_t> scopes = {})
        : core::Error(core::Error::unavailable("the data is locked by another operation; try again")),
          cause_(cause), scopes_(std::move(scopes))
    {
    }

    Cause cause() const noexcept { return cause_; }

    /// Those known to be locked, ascending; empty unless `scope_lock`.
    std::vector<std::int64_t> const& scopes() const noexcept { return scopes_; }

private:
    Cause cause_;
    std::vector<std::int64_t> scopes_;
};

/// How long a Session's statements wait for what other transactions hold.
enum class LockWait {
    shared, ///< for a batch of several scopes: not for a scope's lock, and at most 100 ms for a row
    alone,  ///< for a batch of one scope: at most 100 ms for its lock, in the server's queue, or for a row
    brief,  ///< for a batch of one scope: not for its lock, and at most 10 ms for a row
};

/// What a coalesced batch runs on, on its caller's own thread: each call is one message, `SELECT
/// set_config('app.scopes', …)` and the statement, and one implicit transaction, committed when it returns. A
/// serialization failure or deadlock is run again (at most 3 times). Throws Stalled for a lock that others
/// hold and for a statement that took too long, core::Error UNAVAILABLE for what else is the server's trouble
/// (lost, out of resources), and what libpqxx throws for everything else.
///
/// Statements are planned once for all calls, without sequential scans where an index will do: they probe
/// indexes by the keys they are given, and left to itself the server finds that the estimates for each batch
/// differ and plans each anew, at a greater cost than the batch's.
class Session {
public:
    virtual ~Session() = default;
    virtual asio::awaitable<Rows> run(
        Scopes const& scopes, std::string_view sql, std::span<Param const> params) = 0;

    asio::awaitable<Rows> run(Scopes const& scopes, std::string_view sql, Params params)
    {
        return run(scopes, sql, std::span(params.begin(), params.size()));
    }

    /// As `run`, with per-scope advisory locks taken first in the same message and held to commit: what makes
    /// commit order the order of `clock_timestamp()` within a scope. When one of them is not to be had the
    /// statement runs with `app.scopes` empty, and Stalled names the scopes; so it treats no input whose
    /// scope is not in `app.scopes`. An INSERT has that as a condition:
    ///
    ///     WHERE u.scope_id = ANY (string_to_array(current_setting('app.scopes'), ',')::bigint[])
    virtual asio::awaitable<Rows> run_serialised(
        Scopes const& scopes, std::string_view sql, std::span<Param const> params) = 0;
};

/// The distinct `scope_id`s of a batch's inputs.
template <class In> Scopes scopes_of(std::span<In const> inputs)
{
    std::vector<std::int64_t> ids;
    ids.reserve(inputs.size());
    for (In const& input : inputs)
        ids.push_back(input.scope_id);
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    return Scopes(std::move(ids));
}

/// What the work of a Coalescer yields.
template <class Out> using Batch = asio::awaitable<std::vector<Out>>;

/// Takes the scope's advisory lock until the transaction ends: the twin of `Session::run_serialised`. These
/// locks are PostgreSQL's single-bigint ones, `0x53` in the top byte and the scope's id below.
void serialise(Tx& tx, std::int64_t scope_id);

struct CloseConnection {
    void operator()(PGconn* connection) const noexcept;
};

using ConnectionHandle = std::unique_ptr<PGconn, CloseConnection>;

struct DatabaseOptions {
    std::string url;                         ///< libpq connection string or URI
    std::string application_name = "tetrad"; ///< shown in pg_stat_activity
    unsigned threads = 4;                    ///< one connection each
    /// `url` is that of a pooler which gives a session away after each transaction, as PgBouncer's
    /// transaction mode does. Then nothing is prepared, statements are planned each time, and settings are
    /// those of each transaction, in the message of its first statement.
    bool transaction_pooling = false;
    /// Waiting jobs (a tenant's, a scope's: its share of them), or callers of one Coalescer, beyond which:
    /// 503.
    std::size_t queue_limit = 2000;
    /// A job not started by then: 503. One that would wait for more than half of it is refused at once.
    std::chrono::milliseconds queue_timeout{3000};
    std::chrono::milliseconds statement_timeout{10'000}; ///< a statement not done by then is cancelled: 503
    /// Told why a connection was lost, why none can be made, each once until one is made, and then that one
    /// is back; nothing of `url` is in it. Called on whichever thread learns of it, several at once too; does
    /// not block.
    std::function<void(std::string const& event)> report;
};

/// PostgreSQL behind a few threads with one connection each. Everything awaitable resumes the caller
/// on its own executor. A database that is away or a full queue is `core::Error` UNAVAILABLE (503), at once;
/// connections are remade in the background. So are a statement that took too long, a full disk, and a commit
/// whose outcome is unknown because the connection broke under it. Connections run in UTC,
/// `synchronous_commit` as the role says.
///
/// A tenant's transactions run on at most its share of the threads: all but a quarter, and at least one less
/// than all (a single thread has no shares). Those of each of its scopes run on the same share of that.
/// However many of them wait for each other's locks, other tenants' calls find a thread, and so do those of
/// its other environment. The places in the queue have the same shares. Tenants take turns, and within a
/// tenant its scopes.
///
/// A call that would wait for more than half of `queue_timeout` is refused at once. The wait is estimated
/// from the pace at which the scope's transactions started of late and the number of them that wait
/// (`JobQueue`).
///
/// Safe to call from any thread. Stop it before the execution contexts of its callers are destroyed; destroy
/// it after the last call has returned.
class Database {
public:
    /// Throws std::invalid_argument for a malformed url; connecting happens in the background.
    explicit Database(DatabaseOptions options);
    ~Database();
    Database(Database const&) = delete;
    Database& operator=(Database const&) = delete;

    /// Runs `work(Tx&)` in one transaction that sees `scopes`, commits, and yields its result. A
    /// serialization failure or deadlock runs it again (at most 3 times, then UNAVAILABLE), so `work` can be
    /// repeated. What `work` throws rolls back and is rethrown here. `work` may refer to the awaiting frame:
    /// it is finished or was never started when this returns. Costs one round trip per statement and one for
    /// COMMIT; nothing when no statement is run.
    template <class Work>
    auto transact(Scopes scopes, Work work) -> asio::awaitable<std::invoke_result_t<Work&, Tx&>>;

    /// The same in a READ ONLY transaction with one snapshot (REPEATABLE READ).
    template <class Work>
    auto read(Scopes scopes, Work work) -> asio::awaitable<std::invoke_result_t<Work&, Tx&>>;

    /// For threads that are not I/O threads (workers, verbs, tests): the same, blocking the caller. Not from
    /// within `work`: it would wait for itself.
    template <class Work>
    auto transact_blocking(Scopes scopes, Work work) -> std::invoke_result_t<Work&, Tx&>;

    /// For callers that do other work before a transaction of these scopes: a place in the queue, so that a
    /// request which will be refused costs nothing more. Throws UNAVAILABLE when the transaction would be
    /// refused. Drop the place right before the transaction, and before the Database is destroyed.
    std::shared_ptr<void const> reserve(Scopes const& scopes);

    /// Whether there is a connection and the server is not silent (for /readyz). A connection that dies is
    /// noticed within about a second, used or not.
    bool healthy() const noexcept;

    /// Sets whether the server is silent, as found by a Listener's heartbeat. While it is, every new or
    /// queued call fails at once with UNAVAILABLE. A call that waits for the server fails within about
    /// `Wire::check_interval`, and its connection is closed. Does not block. Thread-safe.
    void set_silent(bool silent);

    bool silent() const noexcept;

    /// Jobs waiting for a thread.
    std::size_t queued() const noexcept;

    /// Threads that run a job, of `options().threads`.
    unsigned busy() const noexcept;

    /// Callers of Coalescers whose scope goes by itself, since another transaction has its lock.
    std::shared_ptr<std::atomic<std::int64_t>> const& apart_callers() const noexcept;

    DatabaseOptions const& options() const noexcept;

    /// Answers what is queued, then ends the threads. Later calls are UNAVAILABLE. Not from a database
    /// thread.
    void stop();

    struct Impl; ///< in database_threads.hpp
    enum class Mode { read_write, read_only };

    /// A type-erased job: runs on a database thread with an open transaction, or is told why it could not.
    /// `finish` is called exactly once, from a database thread or from within `submit`.
    struct Job {
        Scopes scopes;
        Mode mode = Mode::read_write;
        std::function<void(Tx&)> work;                  ///< may run again after a rollback
        std::function<void(std::exception_ptr)> finish; ///< after commit (null) or failure
    };

    void submit(Job job);

    /// Work of a database thread that needs none of its connections: exactly one of the two is called, once.
    struct Task {
        std::function<void()> run;                      ///< does not throw
        std::function<void(core::Error const&)> failed; ///< not run; from any thread or within `submit`
    };

    void submit(Task task);

    /// For Coalescer: a connection that the calling coroutine's thread drives, until the Session ends. The
    /// coroutine's context is run by one thread. Sessions that are not `shared` have two of the thread's
    /// connections at most. Throws core::Error UNAVAILABLE.
    asio::awaitable<std::unique_ptr<Session>> session(LockWait wait = LockWait::shared);

    /// For `session`: how its connections behave.
    WireOptions wire_options(bool binary) const;

    /// For `session`: what runs first in each transaction; "" unless sessions are shared.
    std::string const& transaction_settings() const noexcept;

    /// For `session`: a new connection, made on a database thread.
    asio::awaitable<ConnectionHandle> connect();

    /// For the connections `connect` made: why one was lost.
    void report_lost(std::string_view why);

    /// Its address tells this Database from every other for as long as it is held.
    std::shared_ptr<void const> identity() const noexcept;

private:
    asio::awaitable<void> perform(Scopes scopes, Mode mode, std::function<void(Tx&)> work);
    void perform_blocking(Scopes scopes, Mode mode, std::function<void(Tx&)> work);

    std::unique_ptr<Impl> impl_;
};

} // namespace pg

#include "pg/database_impl.hpp"
