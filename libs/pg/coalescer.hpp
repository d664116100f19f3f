#pragma once

#include "core/suspended.hpp"
#include "pg/database.hpp"

#include <boost/asio/execution_context.hpp>

#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace pg {

/// Many callers, one statement. While an I/O thread's batch is under way, that thread's callers queue; the
/// next takes all that wait (at most 128) as one call of `work`; alone, a batch is one row. When a batch of
/// several fails, its members run singly, so that one bad row hurts nobody else; a lost connection answers
/// all of them UNAVAILABLE.
///
/// A scope whose lock another transaction holds leaves the batch, and the others are run at once. From then
/// on the scope goes by itself, at most two such scopes at a time, and its callers wait without a connection
/// between attempts. `queue_timeout` after they left their batch they get UNAVAILABLE. A batch of several
/// scopes that meets a locked row, or exceeds `statement_timeout`, is split into its scopes in the same way.
///
/// When more callers wait than a batch takes, tenants take turns for the places in it, and within a tenant
/// its environments. A caller is UNAVAILABLE at once when the batches that its turn is behind would take more
/// than half of `queue_timeout`, by the time that batches take of late. One that has waited for its turn for
/// `queue_timeout` all the same is UNAVAILABLE, too.
///
/// At most `queue_limit` callers of a thread wait. A tenant has `core::share_of` that, and each of its
/// environments `share_of` the tenant's share. The callers of scopes that are locked for longer than an
/// attempt have bounds of their own: half of `queue_limit`, an eighth for each tenant, and `share_of` that
/// for each of its environments. Beyond: UNAVAILABLE at once.
///
/// `work(Session&, std::span<In const>) -> asio::awaitable<std::vector<Out>>`: one result per input, in the
/// order of the inputs (match rows to inputs by id, never by position). It may run for the same inputs again,
/// and on several threads at once. The scope of an input is its `scope_id`; inputs without are taken for one
/// scope's.
template <class In, class Out> class Coalescer {
public:
    using Work = std::function<Batch<Out>(Session&, std::span<In const>)>;

    static constexpr std::size_t batch_limit = 128;
    /// A batch under way for longer than this lets a second one of its thread past it.
    static constexpr std::chrono::milliseconds patience{5};
    static constexpr unsigned parallel_batches = 2;
    /// Scopes of a thread that go by themselves at a time.
    static constexpr unsigned parallel_scopes = 2;

    /// `database` outlives the calls of `run`.
    Coalescer(Database& database, Work work);

    /// The caller's own result, or what its row failed with. From a coroutine on a context that one thread
    /// runs.
    asio::awaitable<Out> run(In input);

private:
    struct Waiter;
    struct Drop;
    using Held = std::unique_ptr<Waiter, Drop>;
    struct Apart;
    struct Queue;
    struct Attempt;
    struct Attempts;
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace pg

#include "pg/coalescer_impl.hpp"
