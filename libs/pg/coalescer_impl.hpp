#pragma once
// Included by coalescer.hpp.

#include "core/error.hpp"

#include <stdexcept>

namespace pg {

/// One caller. Lives in the frame of its `run`, which `caller` owns while it is suspended.
template <class In, class Out> struct Coalescer<In, Out>::Waiter {
    In input;
    std::optional<Out> output = std::nullopt;
    std::exception_ptr failure = nullptr;
    std::optional<Suspended> caller = std::nullopt;
};

/// Shared with the jobs under way, so that it outlives a Coalescer that goes before its Database.
template <class In, class Out> struct Coalescer<In, Out>::State : std::enable_shared_from_this<State> {
    State(Database& db, Work w) : database(db), work(std::move(w)), limit(db.options().queue_limit) {}

    /// Queues `waiter` and makes sure that a thread comes for it.
    void join(Waiter& waiter)
    {
        std::unique_lock lock(mutex);
        if (waiting.size() >= limit) {
            lock.unlock();
            Waiter* const batch[] = {&waiter};
            fail_all(batch, core::Error::unavailable("the database is overloaded"));
            return release(batch);
        }
        waiting.push_back(&waiter);
        bool const needed = servers < parallel_batches;
        if (needed) ++servers;
        lock.unlock();
        if (needed) summon();
    }

    void summon()
    {
        auto const self = this->shared_from_this();
        database.submit(Database::SessionJob{.work = [self](Session& session) { self->serve(session); },
            .failed = [self](core::Error const& error) { self->fail(error); }});
    }

    /// Serves one batch after the other while all goes well and nobody else waits for the thread.
    void serve(Session& session)
    {
        for (;;) {
            std::unique_lock lock(mutex);
            std::vector<Waiter*> const batch = take(batch_limit);
            if (batch.empty()) {
                --servers;
                return;
            }
            lock.unlock();
            std::vector<In> inputs;
            inputs.reserve(batch.size());
            for (Waiter* waiter : batch)
                inputs.push_back(std::move(waiter->input));
            bool const available = answer(session, batch, inputs);
            release(batch);
            if (!available || database.queued() > 0) return summon();
        }
    }

    /// Fills in the output or the failure of every member of `batch`; false when the server is to blame.
    bool answer(Session& session, std::span<Waiter* const> batch, std::span<In const> inputs)
    {
        try {
            std::vector<Out> outputs = work(session, inputs);
            if (outputs.size() != inputs.size()) throw std::logic_error("a batch has one result per input");
            for (std::size_t i = 0; i < batch.size(); ++i)
                batch[i]->output.emplace(std::move(outputs[i]));
            return true;
        } catch (core::Error const& error) {
            // The server's trouble is everybody's: trying each alone would make it last.
            bool const unavailable = error.code().status == core::codes::unavailable.status;
            if (batch.size() == 1 || unavailable) {
                fail_all(batch, error);
                return !unavailable;
            }
        } catch (...) {
            if (batch.size() == 1) batch[0]->failure = std::current_exception();
        }
        if (batch.size() == 1) return true;
        bool available = true;
        for (std::size_t i = 0; i < batch.size(); ++i)
            available = answer(session, batch.subspan(i, 1), inputs.subspan(i, 1)) && available;
        return available;
    }

    /// Nobody could come: everybody who waits is told.
    void fail(core::Error const& error)
    {
        std::unique_lock lock(mutex);
        std::vector<Waiter*> const batch = take(waiting.size());
        --servers;
        lock.unlock();
        fail_all(batch, error);
        release(batch);
    }

    /// Each gets an exception of its own: they are handled on different threads.
    static void fail_all(std::span<Waiter* const> batch, core::Error const& error)
    {
        for (Waiter* waiter : batch)
            waiter->failure = std::make_exception_ptr(error);
    }

    /// Takes up to `count` off the front of the queue; the lock is held.
    std::vector<Waiter*> take(std::size_t count)
    {
        auto const end = waiting.begin() + static_cast<std::ptrdiff_t>(std::min(count, waiting.size()));
        std::vector<Waiter*> batch(waiting.begin(), end);
        waiting.erase(waiting.begin(), end);
        return batch;
    }

    static void release(std::span<Waiter* const> batch)
    {
        std::vector<Suspended> callers;
        callers.reserve(batch.size());
        for (Waiter* waiter : batch)
            callers.push_back(std::move(*waiter->caller));
        Suspended::resume(std::move(callers));
    }

    Database& database;
    Work const work;
    std::size_t const limit;

    std::mutex mutex;
    std::deque<Waiter*> waiting;
    unsigned servers = 0; ///< jobs that were submitted and have not ended
};

template <class In, class Out>
Coalescer<In, Out>::Coalescer(Database& database, Work work)
    : state_(std::make_shared<State>(database, std::move(work)))
{
}

template <class In, class Out> asio::awaitable<Out> Coalescer<In, Out>::run(In input)
{
    Waiter waiter{std::move(input)};
    auto const start = [&waiter, state = state_](Suspended caller) {
        // The caller may be resumed, and this lambda gone, before `join` returns.
        std::shared_ptr<State> const own = state;
        waiter.caller.emplace(std::move(caller));
        own->join(waiter);
    };
    co_await suspend(start);
    if (waiter.failure) std::rethrow_exception(waiter.failure);
    co_return std::move(*waiter.output);
}

} // namespace pg
