#pragma once

#include "pg/untyped_batcher.hpp"

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace pg {

/// Combines concurrent calls into one statement. While a batch of an I/O thread runs, new callers of that
/// thread wait. The next batch takes all waiting callers (at most 128) in one call of `work`. A single caller
/// is a batch of one row. If a batch of several callers fails, `work` runs for each of them alone, so that
/// one invalid row does not affect the others. If the connection is lost, all callers of the batch get
/// UNAVAILABLE.
///
/// If another transaction holds the lock of a scope, the callers of that scope leave the batch. The batch
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
/// and the limit of each environment is `share_of` the tenant's limit. Callers of scopes that are locked
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

    static constexpr std::size_t batch_limit = UntypedBatcher::batch_limit;
    static constexpr unsigned parallel_batches = UntypedBatcher::parallel_batches;

    /// `database` must outlive all calls of `run`.
    Batcher(Database& database, Work work)
        : untyped_(database, [work = std::move(work)](BatchConnection& connection, Waiters waiters) {
              return run_batch(work, connection, waiters);
          })
    {
    }

    /// Returns the result for `input`, or throws its failure. Call it from a coroutine on an execution
    /// context that only one thread runs.
    asio::awaitable<Out> run(In input)
    {
        auto const executor = co_await asio::this_coro::executor;
        Waiter waiter(std::move(input));
        co_await untyped_.wait(executor, waiter);
        if (waiter.failure) std::rethrow_exception(waiter.failure);
        co_return std::move(*waiter.output);
    }

private:
    using Waiters = UntypedBatcher::Waiters;

    struct Waiter : UntypedBatcher::Waiter {
        explicit Waiter(In value) : UntypedBatcher::Waiter(scope_of(value)), input(std::move(value)) {}

        In input;
        std::optional<Out> output;
    };

    static core::ScopeId scope_of(In const& input)
    {
        if constexpr (requires { input.scope_id; })
            return input.scope_id;
        else
            return core::no_scope;
    }

    /// Runs `work` once. After a success, fills in the outputs. After a failure, the inputs are as before.
    static asio::awaitable<void> run_batch(Work const& work, BatchConnection& connection, Waiters waiters)
    {
        auto const at = [&](std::size_t i) -> Waiter& { return static_cast<Waiter&>(*waiters[i]); };
        std::vector<In> inputs;
        inputs.reserve(waiters.size());
        for (std::size_t i = 0; i < waiters.size(); ++i)
            inputs.push_back(std::move(at(i).input));
        try {
            std::vector<Out> outputs = co_await work(connection, inputs);
            if (outputs.size() != inputs.size())
                throw std::logic_error("a batch must return one result per input");
            for (std::size_t i = 0; i < waiters.size(); ++i) {
                at(i).output.emplace(std::move(outputs[i]));
                at(i).has_output = true;
            }
        } catch (...) {
            for (std::size_t i = 0; i < waiters.size(); ++i)
                at(i).input = std::move(inputs[i]);
            throw;
        }
    }

    UntypedBatcher untyped_;
};

} // namespace pg
