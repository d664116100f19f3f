#pragma once

#include "core/suspended.hpp"
#include "pg/database.hpp"

#include <boost/asio/execution_context.hpp>

#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace pg {

/// Combines concurrent calls into one statement. While a batch of an I/O thread runs, new callers of that
/// thread wait. The next batch takes all waiting callers (at most 128) in one call of `work`. A single caller
/// is a batch of one row. If a batch of several callers fails, `work` runs for each of them alone, so that
/// one invalid row does not affect the others. If the connection is lost, all callers of the batch get
/// UNAVAILABLE.
///
/// If another transaction holds the lock of a scope, the callers of that scope leave the batch, and the batch
/// runs at once for the other callers. The scope then runs separately, until its lock is free again. At most
/// two such scopes run at a time, and they hold no connection between attempts. Their callers get UNAVAILABLE
/// `queue_timeout` after they left their batch. If a batch of several scopes meets a locked row or exceeds
/// `statement_timeout`, all its scopes run separately in the same way.
///
/// When more callers wait than fit into a batch, tenants take turns, and so do the environments of a tenant.
/// A caller gets UNAVAILABLE at once if the batches before its turn are expected to take more than half of
/// `queue_timeout`. The estimate uses the duration of recent batches. A caller that was admitted gets
/// UNAVAILABLE if its turn has not come after `queue_timeout`.
///
/// At most `queue_limit` callers wait on a thread. The limit of a tenant is `core::share_of(queue_limit)`,
/// and that of each of its environments is `share_of` the tenant's limit. Callers of scopes that are locked
/// for longer than one attempt have separate limits: half of `queue_limit` in total, an eighth of
/// `queue_limit` for a tenant, and `share_of` that eighth for each of its environments. Further callers get
/// UNAVAILABLE at once.
///
/// `work(BatchConnection&, std::span<In const>) -> asio::awaitable<std::vector<Out>>` returns one result per
/// input, in the order of the inputs. Match rows to inputs by id, never by position, because PostgreSQL may
/// return rows in any order. `work` may run again for the same inputs, and on several threads at once. The
/// scope of an input is its member `scope_id`. If inputs have no such member, they all count as one scope.
template <class In, class Out> class Batcher {
public:
    using Work = std::function<Batch<Out>(BatchConnection&, std::span<In const>)>;

    static constexpr std::size_t batch_limit = 128;
    /// When a batch takes longer than this, a second batch of its thread may run at the same time.
    static constexpr std::chrono::milliseconds second_batch_after{5};
    static constexpr unsigned parallel_batches = 2;
    /// Maximum number of scopes of a thread that run separately at a time.
    static constexpr unsigned parallel_scopes = 2;

    /// `database` must outlive all calls of `run`.
    Batcher(Database& database, Work work);

    /// Returns the result for `input`, or throws its failure. Call it from a coroutine on an execution
    /// context that only one thread runs.
    asio::awaitable<Out> run(In input);

private:
    struct Waiter;
    struct DropWaiter;
    using WaiterPtr = std::unique_ptr<Waiter, DropWaiter>;
    struct SeparateScope;
    struct Queue;
    struct Attempt;
    struct BatchRunner;
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace pg

#include "pg/batcher_impl.hpp"
