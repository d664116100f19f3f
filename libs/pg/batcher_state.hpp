#pragma once
// Internal to pg: the state of a Batcher.

#include "core/error.hpp"
#include "core/scope.hpp"
#include "pg/batch_runner.hpp"
#include "pg/batcher_queue.hpp"
#include "pg/database.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace pg {

/// Shared with running batches, so that it outlives a Batcher that is destroyed before its Database.
struct UntypedBatcher::State : std::enable_shared_from_this<State> {
    using Clock = SeparateScopeState::Clock;
    using Members = BatchRunner::Members;

    State(Database& db, Work w) : database(db), runner{std::move(w)}, limits(db.options().queue_limit) {}

    std::shared_ptr<Queue> queue_of(asio::any_io_executor const& executor)
    {
        auto const* context = &asio::query(executor, asio::execution::context);
        std::lock_guard const lock(mutex);
        for (auto const& [owner, queue] : queues)
            if (owner == context) return queue;
        return queues.emplace_back(context, std::make_shared<Queue>()).second;
    }

    void join(std::shared_ptr<Queue> const& queue, Waiter& waiter, asio::any_io_executor const& executor)
    {
        bool const runs_separately = queue->runs_separately(waiter.scope_id);
        if (!queue->admits(waiter.scope_id, limits) ||
            queue->is_too_late(waiter.scope_id, database.options().queue_timeout / 2)) {
            waiter.failure = overloaded();
            return core::Suspended::resume(std::move(*waiter.caller));
        }
        if (runs_separately) {
            separate(*queue, WaiterPtr(&waiter));
            return ensure_separate_server(queue, executor);
        }
        queue->waiting.push(WaiterPtr(&waiter));
        if (queue->servers == 0)
            start_server(queue, executor);
        else if (queue->waiting.size() == 1 && queue->second_server_timer)
            start_second_server_later(queue, executor);
    }

    static std::exception_ptr overloaded()
    {
        return std::make_exception_ptr(core::Error::unavailable("The database is overloaded. Retry later."));
    }

    // --- batches of several scopes

    void start_server(std::shared_ptr<Queue> const& queue, asio::any_io_executor const& executor)
    {
        ++queue->servers;
        // The new coroutine runs after all handlers that are ready now. So calls that these handlers make
        // join the batch.
        asio::co_spawn(
            executor, [self = this->shared_from_this(), queue] { return self->serve(queue); },
            asio::detached);
    }

    /// Starts a second server if callers still wait after `second_batch_after`. The running batch may be
    /// waiting for a row lock that only one of its members needs.
    void start_second_server_later(std::shared_ptr<Queue> const& queue, asio::any_io_executor const& executor)
    {
        queue->second_server_timer->expires_after(second_batch_after);
        queue->second_server_timer->async_wait(
            [self = this->shared_from_this(), queue, executor](auto cancelled) {
                if (!cancelled && !queue->waiting.empty() && queue->servers < parallel_batches)
                    self->start_server(queue, executor);
            });
    }

    asio::awaitable<void> serve(std::shared_ptr<Queue> queue)
    {
        struct Serving {
            Queue& queue;

            Serving(Queue& q, asio::any_io_executor const& executor) : queue(q)
            {
                if (!queue.second_server_timer) queue.second_server_timer.emplace(executor);
            }

            ~Serving()
            {
                if (--queue.servers != 0) return;
                queue.second_server_timer.reset();
                static_cast<void>(queue.waiting.take_all()); // empty, unless the context ends
            }
        };

        asio::any_io_executor const executor = co_await asio::this_coro::executor;
        Serving const serving(*queue, executor);
        while (!queue->waiting.empty()) {
            std::unique_ptr<BatchConnection> const connection = co_await connection_for(*queue);
            if (!connection || queue->waiting.empty()) continue;
            std::vector<WaiterPtr> batch = take(*queue);
            ensure_separate_server(queue, executor);
            if (batch.empty()) continue;
            if (!queue->waiting.empty()) start_second_server_later(queue, executor);
            auto const begun = std::chrono::steady_clock::now();
            co_await answer(*connection, batch);
            queue->pace.ran(std::chrono::steady_clock::now() - begun);
            release_answered(batch);
            for (WaiterPtr& waiter : batch)
                separate(*queue, std::move(waiter));
            ensure_separate_server(queue, executor);
        }
    }

    /// Returns null if no connection is available. All waiting callers have then been refused.
    asio::awaitable<std::unique_ptr<BatchConnection>> connection_for(Queue& queue)
    {
        std::exception_ptr failure;
        try {
            co_return co_await database.batch_connection();
        } catch (...) {
            failure = std::current_exception();
        }
        fail(queue.waiting.take_all(), failure);
        co_return nullptr;
    }

    /// Returns the next batch. Callers of scopes that now run separately are moved to these scopes. Callers
    /// that have waited too long are refused.
    std::vector<WaiterPtr> take(Queue& queue)
    {
        if (auto late = queue.waiting.take_late(database.options().queue_timeout); !late.empty())
            fail(std::move(late), overloaded());
        std::vector<WaiterPtr> batch = queue.waiting.take();
        for (WaiterPtr& waiter : batch)
            if (queue.runs_separately(waiter->scope_id)) separate(queue, std::move(waiter));
        std::erase(batch, nullptr);
        return batch;
    }

    /// Fills in the output or the failure of each member of `batch`, except members whose scope must run
    /// separately.
    asio::awaitable<void> answer(BatchConnection& connection, std::span<WaiterPtr const> batch)
    {
        Members members = members_of(batch);
        // Each attempt may find another scope locked. The members that remain after the last attempt run
        // separately.
        for (int tries = 0; !members.empty() && tries < 3; ++tries) {
            Attempt const attempt = co_await runner.run_once(connection, members);
            if (!attempt.stalled) co_return co_await runner.complete(connection, members, attempt);
            auto const& locked = attempt.stalled->scopes();
            auto const parted = std::erase_if(
                members, [&](Waiter* w) { return std::ranges::binary_search(locked, w->scope_id); });
            if (parted == 0) co_return BatchRunner::fail_timed_out(members, *attempt.stalled);
        }
    }

    // --- scopes that run separately (batcher_separate.cpp)

    /// Moves the caller to the queue of its scope, which runs separately.
    void separate(Queue& queue, WaiterPtr waiter);
    /// Wakes or starts a server (a `serve_separate_scopes` coroutine) for the scopes that run separately.
    void ensure_separate_server(std::shared_ptr<Queue> const& queue, asio::any_io_executor const& executor);
    asio::awaitable<void> serve_separate_scopes(std::shared_ptr<Queue> queue);
    static asio::awaitable<void> sleep_until(
        Queue& queue, asio::any_io_executor const& executor, Clock::time_point time);
    /// Refuses the callers that have waited too long since their scope left the common batches.
    void expire(Queue& queue);
    /// Makes one attempt for a scope. While `in_service` is set, the map entry of the scope is not erased.
    asio::awaitable<void> run_separately(Queue& queue, core::ScopeId scope_id, SeparateScope& scope);
    /// Returns null if no connection is available. The scope's callers have then been refused.
    asio::awaitable<std::unique_ptr<BatchConnection>> connection_for(SeparateScope& scope);
    /// As `answer`, for members of one scope. If some members have no answer and must wait for another
    /// attempt, returns the cause. Otherwise returns nullopt.
    asio::awaitable<std::optional<Stalled::Cause>> answer_separately(
        BatchConnection& connection, std::span<WaiterPtr const> batch);
    /// After an attempt met a lock, puts its unanswered members back into the queue of the scope. Refuses
    /// callers beyond the limits.
    void put_back(Queue& queue, core::ScopeId scope_id, std::vector<WaiterPtr> batch, std::size_t size,
        Stalled::Cause cause);

    // --- both kinds

    static Members members_of(std::span<WaiterPtr const> batch)
    {
        Members members;
        members.reserve(batch.size());
        for (WaiterPtr const& waiter : batch)
            members.push_back(waiter.get());
        return members;
    }

    static std::vector<WaiterPtr> take_from(std::deque<WaiterPtr>& waiting, std::size_t count)
    {
        auto const end = waiting.begin() + static_cast<std::ptrdiff_t>(std::min(count, waiting.size()));
        std::vector<WaiterPtr> batch(std::make_move_iterator(waiting.begin()), std::make_move_iterator(end));
        waiting.erase(waiting.begin(), end);
        return batch;
    }

    static void fail(std::vector<WaiterPtr> waiters, std::exception_ptr const& failure)
    {
        for (WaiterPtr const& waiter : waiters)
            waiter->failure = failure;
        release_answered(waiters);
    }

    /// Resumes the callers that have an output or a failure. The others remain in `batch`.
    static void release_answered(std::vector<WaiterPtr>& batch)
    {
        std::vector<core::Suspended> callers;
        callers.reserve(batch.size());
        for (WaiterPtr& waiter : batch)
            if (waiter->is_answered()) callers.push_back(std::move(*waiter.release()->caller));
        std::erase(batch, nullptr);
        core::Suspended::resume(std::move(callers));
    }

    Database& database;
    BatchRunner const runner;
    WaitingLimits const limits;

    std::mutex mutex; ///< protects `queues`
    std::vector<std::pair<asio::execution_context const*, std::shared_ptr<Queue>>> queues;
};

} // namespace pg
