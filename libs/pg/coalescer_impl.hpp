#pragma once
// Included by coalescer.hpp.

#include "core/error.hpp"
#include "pg/batch_pace.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include <stdexcept>

namespace pg {

/// One caller. Lives in the frame of its `run`, which `caller` owns while it is suspended.
template <class In, class Out> struct Coalescer<In, Out>::Waiter {
    In input;
    std::optional<Out> output = std::nullopt;
    std::exception_ptr failure = nullptr;
    std::optional<core::Suspended> caller = std::nullopt;
};

/// Destroys the frame, and so the waiter: for those whose context ends while they wait.
template <class In, class Out> struct Coalescer<In, Out>::Drop {
    void operator()(Waiter* waiter) const { core::Suspended const frame = std::move(*waiter->caller); }
};

/// Those who wait on one I/O thread; used by that thread alone.
template <class In, class Out> struct Coalescer<In, Out>::Queue {
    std::deque<Held> waiting;
    BatchPace pace{batch_limit};
    unsigned servers = 0; ///< coroutines that take batches off it
    /// Rings for those who have waited too long for a server; there is one while any server runs, so that it
    /// goes before its context.
    std::optional<asio::steady_timer> relief;
};

/// Shared with the batches under way, so that it outlives a Coalescer that goes before its Database.
template <class In, class Out> struct Coalescer<In, Out>::State : std::enable_shared_from_this<State> {
    State(Database& db, Work w) : database(db), work(std::move(w)), limit(db.options().queue_limit) {}

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
        bool const too_late = queue->pace.wait(queue->waiting.size()) > database.options().queue_timeout / 2;
        if (queue->waiting.size() >= limit || too_late) {
            waiter.failure = std::make_exception_ptr(core::Error::unavailable("the database is overloaded"));
            return core::Suspended::resume(std::move(*waiter.caller));
        }
        queue->waiting.emplace_back(&waiter);
        if (queue->servers == 0)
            start_server(queue, executor);
        else if (queue->waiting.size() == 1 && queue->relief)
            watch(queue, executor);
    }

    void start_server(std::shared_ptr<Queue> const& queue, asio::any_io_executor const& executor)
    {
        ++queue->servers;
        // Starts behind everything that is ready to run in this turn, so that all of it travels together.
        asio::co_spawn(
            executor, [self = this->shared_from_this(), queue] { return self->serve(queue); },
            asio::detached);
    }

    /// A batch may wait for a lock that one of its members needs: another is to go past it then.
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
                queue.waiting.clear(); // empty, unless the context ends
            }
        };

        asio::any_io_executor const executor = co_await asio::this_coro::executor;
        Serving const serving(*queue, executor);
        while (!queue->waiting.empty()) {
            std::unique_ptr<Session> const session = co_await session_for(*queue);
            if (!session || queue->waiting.empty()) continue;
            std::vector<Held> batch = take(*queue, batch_limit);
            if (!queue->waiting.empty()) watch(queue, executor);
            std::vector<In> inputs;
            inputs.reserve(batch.size());
            for (Held const& waiter : batch)
                inputs.push_back(std::move(waiter->input));
            auto const begun = std::chrono::steady_clock::now();
            co_await answer(*session, batch, inputs);
            queue->pace.ran(std::chrono::steady_clock::now() - begun);
            release(std::move(batch));
        }
    }

    /// Null when there is none: then all who wait have been told.
    asio::awaitable<std::unique_ptr<Session>> session_for(Queue& queue)
    {
        std::exception_ptr failure;
        try {
            co_return co_await database.session();
        } catch (...) {
            failure = std::current_exception();
        }
        std::vector<Held> batch = take(queue, queue.waiting.size());
        fail_all(batch, failure);
        release(std::move(batch));
        co_return nullptr;
    }

    static std::vector<Held> take(Queue& queue, std::size_t count)
    {
        auto const end =
            queue.waiting.begin() + static_cast<std::ptrdiff_t>(std::min(count, queue.waiting.size()));
        std::vector<Held> batch(std::make_move_iterator(queue.waiting.begin()), std::make_move_iterator(end));
        queue.waiting.erase(queue.waiting.begin(), end);
        return batch;
    }

    /// Fills in the output or the failure of every member of `batch`.
    asio::awaitable<void> answer(Session& session, std::span<Held const> batch, std::span<In const> inputs)
    {
        std::exception_ptr failure;
        try {
            std::vector<Out> outputs = co_await work(session, inputs);
            if (outputs.size() != inputs.size()) throw std::logic_error("a batch has one result per input");
            for (std::size_t i = 0; i < batch.size(); ++i)
                batch[i]->output.emplace(std::move(outputs[i]));
            co_return;
        } catch (core::Error const& error) {
            // The server's trouble is everybody's: trying each alone would make it last.
            failure = std::current_exception();
            if (error.code().status == core::codes::unavailable.status) co_return fail_all(batch, failure);
        } catch (...) {
            failure = std::current_exception();
        }
        if (batch.size() == 1) co_return fail_all(batch, failure);
        for (std::size_t i = 0; i < batch.size(); ++i)
            co_await answer(session, batch.subspan(i, 1), inputs.subspan(i, 1));
    }

    static void fail_all(std::span<Held const> batch, std::exception_ptr const& failure)
    {
        for (Held const& waiter : batch)
            waiter->failure = failure;
    }

    static void release(std::vector<Held> batch)
    {
        std::vector<core::Suspended> callers;
        callers.reserve(batch.size());
        for (Held& waiter : batch)
            callers.push_back(std::move(*waiter.release()->caller));
        core::Suspended::resume(std::move(callers));
    }

    Database& database;
    Work const work;
    std::size_t const limit;

    std::mutex mutex; ///< of `queues`
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
    Waiter waiter{std::move(input)};
    auto const start = [&](core::Suspended caller) {
        waiter.caller.emplace(std::move(caller));
        state_->join(queue, waiter, executor);
    };
    co_await core::suspend(start);
    if (waiter.failure) std::rethrow_exception(waiter.failure);
    co_return std::move(*waiter.output);
}

} // namespace pg
