#pragma once

#include "core/error.hpp"
#include "core/scope.hpp"
#include "pg/param.hpp"
#include "pg/rows.hpp"
#include "pg/tx.hpp"

#include <boost/asio/awaitable.hpp>

#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace pg {

namespace asio = boost::asio;

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

} // namespace pg
