#pragma once
// Included by coalescer.hpp.

#include "core/error.hpp"
#include "pg/coalescer_attempts.hpp"
#include "pg/coalescer_queue.hpp"

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

/// Shared with running batches, so that it outlives a Coalescer that is destroyed before its Database.
template <class In, class Out> struct Coalescer<In, Out>::State : std::enable_shared_from_this<State> {
    using Clock = ApartScope::Clock;
    using Members = Attempts::Members;

    State(Database& db, Work w) : database(db), attempts{std::move(w)}, limits(db.options().queue_limit) {}

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
        bool const goes_apart = queue->goes_apart(waiter.scope_id);
        if (!queue->admits(waiter.scope_id, limits) ||
            queue->is_too_late(waiter.scope_id, database.options().queue_timeout / 2)) {
            waiter.failure = overloaded();
            return core::Suspended::resume(std::move(*waiter.caller));
        }
        if (goes_apart) {
            part(*queue, Held(&waiter));
            return serve_apart_soon(queue, executor);
        }
        queue->waiting.push(Held(&waiter));
        if (queue->servers == 0)
            start_server(queue, executor);
        else if (queue->waiting.size() == 1 && queue->relief)
            watch(queue, executor);
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

    /// Starts a second server if callers still wait after `patience`. The running batch may be waiting for a
    /// row lock that only one of its members needs.
    void watch(std::shared_ptr<Queue> const& queue, asio::any_io_executor const& executor)
    {
        queue->relief->expires_after(patience);
        queue->relief->async_wait([self = this->shared_from_this(), queue, executor](auto cancelled) {
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
                if (!queue.relief) queue.relief.emplace(executor);
            }

            ~Serving()
            {
                if (--queue.servers != 0) return;
                queue.relief.reset();
                static_cast<void>(queue.waiting.take_all()); // empty, unless the context ends
            }
        };

        asio::any_io_executor const executor = co_await asio::this_coro::executor;
        Serving const serving(*queue, executor);
        while (!queue->waiting.empty()) {
            std::unique_ptr<Session> const session = co_await session_for(*queue);
            if (!session || queue->waiting.empty()) continue;
            std::vector<Held> batch = take(*queue);
            serve_apart_soon(queue, executor);
            if (batch.empty()) continue;
            if (!queue->waiting.empty()) watch(queue, executor);
            auto const begun = std::chrono::steady_clock::now();
            co_await answer(*session, batch);
            queue->pace.ran(std::chrono::steady_clock::now() - begun);
            release_answered(batch);
            for (Held& waiter : batch)
                part(*queue, std::move(waiter));
            serve_apart_soon(queue, executor);
        }
    }

    /// Returns null if no session is available. All waiting callers have then been refused.
    asio::awaitable<std::unique_ptr<Session>> session_for(Queue& queue)
    {
        std::exception_ptr failure;
        try {
            co_return co_await database.session();
        } catch (...) {
            failure = std::current_exception();
        }
        fail(queue.waiting.take_all(), failure);
        co_return nullptr;
    }

    /// Returns the next batch. Callers of scopes that now run separately are moved to these scopes. Callers
    /// that have waited too long are refused.
    std::vector<Held> take(Queue& queue)
    {
        if (auto late = queue.waiting.take_late(database.options().queue_timeout); !late.empty())
            fail(std::move(late), overloaded());
        std::vector<Held> batch = queue.waiting.take();
        for (Held& waiter : batch)
            if (queue.goes_apart(waiter->scope_id)) part(queue, std::move(waiter));
        std::erase(batch, nullptr);
        return batch;
    }

    /// Fills in the output or the failure of each member of `batch`, except members whose scope must run
    /// separately.
    asio::awaitable<void> answer(Session& session, std::span<Held const> batch)
    {
        Members members = members_of(batch);
        // Each attempt may find another scope locked. The members that remain after the last attempt run
        // separately.
        for (int tries = 0; !members.empty() && tries < 3; ++tries) {
            Attempt const attempt = co_await attempts.once(session, members);
            if (!attempt.stalled) co_return co_await attempts.settle(session, members, attempt);
            auto const& locked = attempt.stalled->scopes();
            auto const parted = std::erase_if(
                members, [&](Waiter* w) { return std::ranges::binary_search(locked, w->scope_id); });
            if (parted == 0) co_return Attempts::fail_timed_out(members, *attempt.stalled);
        }
    }

    // --- scopes that run separately

    /// Moves the caller to the queue of its scope, which runs separately.
    void part(Queue& queue, Held waiter)
    {
        waiter->deadline = Clock::now() + database.options().queue_timeout;
        if (!waiter->counted) {
            waiter->counted = database.apart_callers();
            ++*waiter->counted;
        }
        auto const [scope, is_new] = queue.apart.try_emplace(waiter->scope_id);
        if (is_new) scope->second.ready_at = Clock::now();
        scope->second.waiting.push_back(std::move(waiter));
    }

    /// Wakes or starts a server (a `serve_apart` coroutine) for the scopes that run separately.
    void serve_apart_soon(std::shared_ptr<Queue> const& queue, asio::any_io_executor const& executor)
    {
        auto const next = queue->next_ready();
        if (!next) return;
        if (!queue->sleeping.empty()) {
            if (*next <= Clock::now()) queue->sleeping.back()->cancel();
        } else if (queue->apart_servers < parallel_scopes) {
            ++queue->apart_servers;
            asio::co_spawn(
                executor, [self = this->shared_from_this(), queue] { return self->serve_apart(queue); },
                asio::detached);
        }
    }

    asio::awaitable<void> serve_apart(std::shared_ptr<Queue> queue)
    {
        struct Serving {
            Queue& queue;

            ~Serving()
            {
                if (--queue.apart_servers > 0) return;
                for (auto& [id, scope] : queue.apart)
                    scope.waiting.clear(); // empty, unless the context ends
            }
        };

        asio::any_io_executor const executor = co_await asio::this_coro::executor;
        Serving const serving{*queue};
        for (;;) {
            expire(*queue);
            if (auto const next = queue->next_apart(Clock::now()); next != queue->apart.end()) {
                next->second.in_service = true;
                next->second.ready_at = Clock::now();
                serve_apart_soon(queue, executor); // another server runs the other ready scopes
                co_await run_apart(*queue, next->first, next->second);
                // The other `serve_apart` may have ended because no other scope was ready.
                serve_apart_soon(queue, executor);
                continue;
            }
            auto const ready = queue->next_ready();
            if (!ready) co_return;
            co_await sleep_until(*queue, executor, *ready);
        }
    }

    static asio::awaitable<void> sleep_until(
        Queue& queue, asio::any_io_executor const& executor, Clock::time_point time)
    {
        struct Sleeping {
            Queue& queue;
            asio::steady_timer timer;

            Sleeping(Queue& q, asio::any_io_executor const& on, Clock::time_point until)
                : queue(q), timer(on, until)
            {
                queue.sleeping.push_back(&timer);
            }

            ~Sleeping() { std::erase(queue.sleeping, &timer); }
        } sleeping(queue, executor, time);

        boost::system::error_code woken;
        co_await sleeping.timer.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    }

    /// Refuses the callers that have waited too long since their scope left the common batches.
    void expire(Queue& queue)
    {
        auto const now = Clock::now();
        std::vector<Held> late;
        for (auto& [id, scope] : queue.apart) {
            if (scope.in_service) continue;
            for (Held& waiter : scope.waiting)
                if (waiter->deadline <= now) late.push_back(std::move(waiter));
            std::erase(scope.waiting, nullptr);
        }
        std::erase_if(queue.apart, [now](auto const& it) { return it.second.is_over(now); });
        fail(std::move(late), std::make_exception_ptr(Stalled(Stalled::Cause::scope_lock)));
    }

    /// Makes one attempt for a scope. While `in_service` is set, the map entry of the scope is not erased.
    asio::awaitable<void> run_apart(Queue& queue, std::int64_t scope_id, Apart& scope)
    {
        std::unique_ptr<Session> const session = co_await session_for(scope);
        if (session) {
            std::vector<Held> batch = take_from(scope.waiting, scope.taking);
            auto const size = batch.size();
            scope.trying = size;
            auto const begun = Clock::now();
            auto const stalled = co_await answer_apart(*session, batch);
            scope.trying = 0;
            release_answered(batch);
            if (stalled) {
                put_back(queue, scope_id, std::move(batch), size, *stalled);
            } else {
                scope.succeed(batch_limit);
                scope.pace.ran(Clock::now() - begun);
            }
        }
        scope.in_service = false;
        // If many scopes run separately, this one returns to the common batches at once.
        if (queue.apart.size() <= parallel_scopes) scope.lingers_until = Clock::now() + ApartScope::lingering;
        if (scope.is_over(Clock::now())) queue.apart.erase(scope_id);
    }

    /// Returns null if no session is available. The scope's callers have then been refused.
    asio::awaitable<std::unique_ptr<Session>> session_for(Apart& scope)
    {
        std::exception_ptr failure;
        try {
            co_return co_await database.session(scope.may_wait() ? LockWait::alone : LockWait::brief);
        } catch (...) {
            failure = std::current_exception();
        }
        fail(take_from(scope.waiting, scope.waiting.size()), failure);
        co_return nullptr;
    }

    /// As `answer`, for members of one scope. If some members have no answer and must wait for another
    /// attempt, returns the cause. Otherwise returns nullopt.
    asio::awaitable<std::optional<Stalled::Cause>> answer_apart(Session& session, std::span<Held const> batch)
    {
        Members const members = members_of(batch);
        Attempt const attempt = co_await attempts.once(session, members);
        if (attempt.stalled) {
            Attempts::fail_timed_out(members, *attempt.stalled);
            co_return members.front()->failure ? std::nullopt : std::optional(attempt.stalled->cause());
        }
        co_await attempts.settle(session, members, attempt);
        bool const is_over = std::ranges::all_of(members, &Waiter::is_answered);
        co_return is_over ? std::nullopt : std::optional(Stalled::Cause::row_lock);
    }

    /// After an attempt met a lock, puts its unanswered members back into the queue of the scope. Refuses
    /// callers beyond the limits.
    void put_back(
        Queue& queue, std::int64_t scope_id, std::vector<Held> batch, std::size_t size, Stalled::Cause cause)
    {
        Apart& scope = queue.apart.at(scope_id);
        bool const is_row = cause != Stalled::Cause::scope_lock;
        // After a row lock the batch goes to the end, because the other callers may not need that row. After
        // a scope lock it goes to the front, because all callers wait for that lock.
        auto const place = is_row ? scope.waiting.end() : scope.waiting.begin();
        scope.waiting.insert(
            place, std::make_move_iterator(batch.begin()), std::make_move_iterator(batch.end()));
        scope.stall(size, is_row, queue.random());
        std::vector<Held> rest;
        while (queue.is_crowded(scope_id, limits)) {
            rest.push_back(std::move(scope.waiting.back()));
            scope.waiting.pop_back();
        }
        fail(std::move(rest), std::make_exception_ptr(Stalled(cause)));
    }

    // --- both kinds

    static Members members_of(std::span<Held const> batch)
    {
        Members members;
        members.reserve(batch.size());
        for (Held const& waiter : batch)
            members.push_back(waiter.get());
        return members;
    }

    static std::vector<Held> take_from(std::deque<Held>& waiting, std::size_t count)
    {
        auto const end = waiting.begin() + static_cast<std::ptrdiff_t>(std::min(count, waiting.size()));
        std::vector<Held> batch(std::make_move_iterator(waiting.begin()), std::make_move_iterator(end));
        waiting.erase(waiting.begin(), end);
        return batch;
    }

    static void fail(std::vector<Held> waiters, std::exception_ptr const& failure)
    {
        for (Held const& waiter : waiters)
            waiter->failure = failure;
        release_answered(waiters);
    }

    /// Resumes the callers that have an output or a failure. The others remain in `batch`.
    static void release_answered(std::vector<Held>& batch)
    {
        std::vector<core::Suspended> callers;
        callers.reserve(batch.size());
        for (Held& waiter : batch)
            if (waiter->is_answered()) callers.push_back(std::move(*waiter.release()->caller));
        std::erase(batch, nullptr);
        core::Suspended::resume(std::move(callers));
    }

    Database& database;
    Attempts const attempts;
    WaitingLimits const limits;

    std::mutex mutex; ///< protects `queues`
    std::vector<std::pair<asio::execution_context const*, std::shared_ptr<Queue>>> queues;
};

template <class In, class Out>
Coalescer<In, Out>::Coalescer(Database& database, Work work)
    : state_(std::make_shared<State>(database, std::move(work)))
{
}

template <class In, class Out> asio::awaitable<Out> Coalescer<In, Out>::run(In input)
{
    auto const executor = co_await asio::this_coro::executor;
    auto const queue = state_->queue_of(executor);
    Waiter waiter(std::move(input));
    auto const start = [&](core::Suspended caller) {
        waiter.caller.emplace(std::move(caller));
        state_->join(queue, waiter, executor);
    };
    co_await core::suspend(start);
    if (waiter.failure) std::rethrow_exception(waiter.failure);
    co_return std::move(*waiter.output);
}

} // namespace pg
