#pragma once
// Included by coalescer.hpp.

#include "core/error.hpp"
#include "pg/apart.hpp"
#include "pg/batch_pace.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>

namespace pg {

/// One caller. Lives in the frame of its `run`, which `caller` owns while it is suspended.
template <class In, class Out> struct Coalescer<In, Out>::Waiter {
    explicit Waiter(In value) : input(std::move(value)), scope_id(scope_of(input)) {}

    ~Waiter()
    {
        if (counted) --*counted;
    }

    Waiter(Waiter const&) = delete;
    Waiter& operator=(Waiter const&) = delete;

    bool is_answered() const { return output || failure; }

    In input;
    std::int64_t const scope_id;
    std::optional<Out> output;
    std::exception_ptr failure;
    std::optional<core::Suspended> caller;
    ApartScope::Clock::time_point deadline;               ///< once its scope goes by itself
    std::shared_ptr<std::atomic<std::int64_t>> counted{}; ///< among those whose scope goes by itself
};

/// Destroys the frame, and so the waiter: for those whose context ends while they wait.
template <class In, class Out> struct Coalescer<In, Out>::Drop {
    void operator()(Waiter* waiter) const { core::Suspended const frame = std::move(*waiter->caller); }
};

/// A scope that goes by itself, and its callers.
template <class In, class Out> struct Coalescer<In, Out>::Apart : ApartScope {
    Apart() : ApartScope{.taking = batch_limit} {}

    bool is_over(Clock::time_point now) const
    {
        return waiting.empty() && !in_service && lingers_until <= now;
    }

    std::deque<Held> waiting;
};

/// Those who wait on one I/O thread; used by that thread alone.
template <class In, class Out> struct Coalescer<In, Out>::Queue {
    using Clock = ApartScope::Clock;

    /// Whether one more caller of the scope may wait.
    bool admits(std::int64_t scope_id, WaitingLimits const& limits) const
    {
        auto const it = apart.find(scope_id);
        if (it != apart.end() && it->second.is_stuck())
            return count(true) < limits.stuck && count(true, scope_id) < limits.stuck_of_tenant;
        auto const all = waiting.size() + count(false);
        if (all >= limits.all) return false;
        if (all < limits.of_tenant || tenant_of(scope_id) == 0) return true;
        auto const is_same = [&](Held const& w) { return tenant_of(w->scope_id) == tenant_of(scope_id); };
        auto const of_tenant = static_cast<std::size_t>(std::ranges::count_if(waiting, is_same));
        return of_tenant + count(false, scope_id) < limits.of_tenant;
    }

    /// Callers of scopes that go by themselves and are stuck, or are not; all, or those of a scope's tenant.
    std::size_t count(bool stuck, std::optional<std::int64_t> scope_id = std::nullopt) const
    {
        std::size_t sum = 0;
        for (auto const& [id, scope] : apart)
            if (scope.is_stuck() == stuck && (!scope_id || tenant_of(id) == tenant_of(*scope_id)))
                sum += scope.waiting.size();
        return sum;
    }

    /// Whether a caller of the scope does not join the common batch.
    bool goes_apart(std::int64_t scope_id)
    {
        auto const it = apart.find(scope_id);
        if (it == apart.end()) return false;
        if (!it->second.is_over(Clock::now())) return true;
        apart.erase(it);
        return false;
    }

    /// The scope whose turn it is: the one that has waited longest since its last attempt or its pause. The
    /// end when none is ready.
    auto next_apart(Clock::time_point now)
    {
        auto best = apart.end();
        for (auto it = apart.begin(); it != apart.end(); ++it) {
            Apart const& scope = it->second;
            if (scope.in_service || scope.waiting.empty() || scope.ready_at > now) continue;
            if (best == apart.end() || scope.ready_at < best->second.ready_at) best = it;
        }
        return best;
    }

    /// When the next scope is ready; nullopt when none waits for an attempt.
    std::optional<Clock::time_point> next_ready() const
    {
        std::optional<Clock::time_point> next;
        for (auto const& [id, scope] : apart)
            if (!scope.in_service && !scope.waiting.empty() && (!next || scope.ready_at < *next))
                next = scope.ready_at;
        return next;
    }

    std::deque<Held> waiting;
    BatchPace pace{batch_limit};
    unsigned servers = 0; ///< coroutines that take batches off it
    /// Rings for those who have waited too long for a server; there is one while any server runs, so that it
    /// goes before its context.
    std::optional<asio::steady_timer> relief;

    std::map<std::int64_t, Apart> apart;
    unsigned apart_servers = 0; ///< coroutines that run scopes by themselves
    /// Of the servers that wait for a scope to be ready.
    std::vector<asio::steady_timer*> sleeping;
    std::minstd_rand random{std::random_device()()};
};

/// How a call of `work` ended: well, if neither is set.
template <class In, class Out> struct Coalescer<In, Out>::Attempt {
    std::optional<Stalled> stalled;
    std::exception_ptr failure;
    bool is_servers = false; ///< the failure is the server's trouble, not the batch's
};

/// Shared with the batches under way, so that it outlives a Coalescer that goes before its Database.
template <class In, class Out> struct Coalescer<In, Out>::State : std::enable_shared_from_this<State> {
    using Clock = ApartScope::Clock;
    using Members = std::vector<Waiter*>;

    State(Database& db, Work w) : database(db), work(std::move(w)), limits(db.options().queue_limit) {}

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
        if (!queue->admits(waiter.scope_id, limits) || too_late) {
            waiter.failure = std::make_exception_ptr(core::Error::unavailable("the database is overloaded"));
            return core::Suspended::resume(std::move(*waiter.caller));
        }
        if (queue->goes_apart(waiter.scope_id)) {
            part(*queue, Held(&waiter));
            return serve_apart_soon(queue, executor);
        }
        queue->waiting.emplace_back(&waiter);
        if (queue->servers == 0)
            start_server(queue, executor);
        else if (queue->waiting.size() == 1 && queue->relief)
            watch(queue, executor);
    }

    // --- batches of many scopes

    void start_server(std::shared_ptr<Queue> const& queue, asio::any_io_executor const& executor)
    {
        ++queue->servers;
        // Starts behind everything that is ready to run in this turn, so that all of it travels together.
        asio::co_spawn(
            executor, [self = this->shared_from_this(), queue] { return self->serve(queue); },
            asio::detached);
    }

    /// A batch may wait for a row that one of its members needs: another is to go past it then.
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

    /// Null when there is none: then all who wait have been told.
    asio::awaitable<std::unique_ptr<Session>> session_for(Queue& queue)
    {
        std::exception_ptr failure;
        try {
            co_return co_await database.session();
        } catch (...) {
            failure = std::current_exception();
        }
        fail(take_from(queue.waiting, queue.waiting.size()), failure);
        co_return nullptr;
    }

    /// The next batch, without those whose scope goes by itself by now.
    std::vector<Held> take(Queue& queue)
    {
        std::vector<Held> batch = take_from(queue.waiting, batch_limit);
        for (Held& waiter : batch)
            if (queue.goes_apart(waiter->scope_id)) part(queue, std::move(waiter));
        std::erase(batch, nullptr);
        return batch;
    }

    /// Fills in the output or the failure of the members of `batch`, but for those whose scope has to go by
    /// itself.
    asio::awaitable<void> answer(Session& session, std::span<Held const> batch)
    {
        Members members = members_of(batch);
        // Each attempt may find another scope locked; those that are left then go by themselves.
        for (int tries = 0; !members.empty() && tries < 3; ++tries) {
            Attempt const attempt = co_await try_work(session, members);
            if (!attempt.stalled) co_return co_await settle(session, members, attempt);
            auto const& locked = attempt.stalled->scopes();
            auto const parted = std::erase_if(
                members, [&](Waiter* w) { return std::ranges::binary_search(locked, w->scope_id); });
            if (parted == 0) co_return fail_timed_out(members, *attempt.stalled);
        }
    }

    /// Of a statement that took one scope too long there is nothing to be split.
    void fail_timed_out(Members const& members, Stalled const& stalled)
    {
        auto const is_same = [&](Waiter* w) { return w->scope_id == members.front()->scope_id; };
        if (stalled.cause() != Stalled::Cause::timeout || !std::ranges::all_of(members, is_same)) return;
        for (Waiter* waiter : members)
            waiter->failure = std::make_exception_ptr(stalled);
    }

    // --- scopes by themselves

    /// Lets the caller wait for its scope's own turn.
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

    /// Sees to it that somebody serves the scopes that wait for it.
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
                if (--queue.apart_servers == 0) queue.apart.clear(); // empty, unless the context ends
            }
        };

        asio::any_io_executor const executor = co_await asio::this_coro::executor;
        Serving const serving{*queue};
        for (;;) {
            expire(*queue);
            if (auto const next = queue->next_apart(Clock::now()); next != queue->apart.end()) {
                next->second.in_service = true;
                next->second.ready_at = Clock::now();
                serve_apart_soon(queue, executor); // the others that are ready do not wait for this one
                co_await run_apart(*queue, next->first, next->second);
                // The other server may have ended when there was nothing else to do.
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

    /// Tells those who have waited too long for their scope.
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

    /// One attempt for a scope, which is in service, so that it stays where it is.
    asio::awaitable<void> run_apart(Queue& queue, std::int64_t scope_id, Apart& scope)
    {
        std::unique_ptr<Session> const session = co_await session_for(scope);
        if (session) {
            std::vector<Held> batch = take_from(scope.waiting, scope.taking);
            auto const size = batch.size();
            auto const stalled = co_await answer_apart(*session, batch);
            release_answered(batch);
            if (stalled)
                put_back(queue, scope, std::move(batch), size, *stalled);
            else
                scope.succeed(batch_limit);
        }
        scope.in_service = false;
        // Many scopes are better off in common batches again at once.
        if (queue.apart.size() <= parallel_scopes) scope.lingers_until = Clock::now() + ApartScope::lingering;
        if (scope.is_over(Clock::now())) queue.apart.erase(scope_id);
    }

    /// Null when there is none: then all of the scope have been told.
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

    /// As `answer` for members of one scope; why some of them have to wait on, if they do.
    asio::awaitable<std::optional<Stalled::Cause>> answer_apart(Session& session, std::span<Held const> batch)
    {
        Members const members = members_of(batch);
        Attempt const attempt = co_await try_work(session, members);
        if (attempt.stalled) {
            fail_timed_out(members, *attempt.stalled);
            co_return members.front()->failure ? std::nullopt : std::optional(attempt.stalled->cause());
        }
        co_await settle(session, members, attempt);
        bool const is_over = std::ranges::all_of(members, &Waiter::is_answered);
        co_return is_over ? std::nullopt : std::optional(Stalled::Cause::row_lock);
    }

    /// Those of an attempt that met a lock wait for the next; those for whom there is no room are told.
    void put_back(Queue& queue, Apart& scope, std::vector<Held> batch, std::size_t size, Stalled::Cause cause)
    {
        bool const is_row = cause != Stalled::Cause::scope_lock;
        // Behind those who may not need the same row, but before those for whose lock all have to wait.
        auto const place = is_row ? scope.waiting.end() : scope.waiting.begin();
        scope.waiting.insert(
            place, std::make_move_iterator(batch.begin()), std::make_move_iterator(batch.end()));
        scope.stall(size, is_row, queue.random());
        auto const room = std::min(limits.stuck_of_tenant, limits.stuck);
        std::vector<Held> rest;
        while (
            scope.waiting.size() > room || (scope.waiting.size() > 1 && queue.count(true) > limits.stuck)) {
            rest.push_back(std::move(scope.waiting.back()));
            scope.waiting.pop_back();
        }
        fail(std::move(rest), std::make_exception_ptr(Stalled(cause)));
    }

    // --- both

    /// Runs `work` once, and fills in the outputs where it went well.
    asio::awaitable<Attempt> try_work(Session& session, std::span<Waiter* const> members)
    {
        std::vector<In> inputs;
        inputs.reserve(members.size());
        for (Waiter* waiter : members)
            inputs.push_back(std::move(waiter->input));
        Attempt attempt;
        try {
            std::vector<Out> outputs = co_await work(session, inputs);
            if (outputs.size() != inputs.size()) throw std::logic_error("a batch has one result per input");
            for (std::size_t i = 0; i < members.size(); ++i)
                members[i]->output.emplace(std::move(outputs[i]));
            co_return attempt;
        } catch (Stalled const& stalled) {
            attempt.stalled = stalled;
        } catch (core::Error const& error) {
            attempt.failure = std::current_exception();
            attempt.is_servers = error.code().status == core::codes::unavailable.status;
        } catch (...) {
            attempt.failure = std::current_exception();
        }
        for (std::size_t i = 0; i < members.size(); ++i)
            members[i]->input = std::move(inputs[i]);
        co_return attempt;
    }

    /// After an attempt that met no lock: where it failed, the members are tried singly. Those that meet a
    /// lock then are not answered.
    asio::awaitable<void> settle(Session& session, std::span<Waiter* const> members, Attempt attempt)
    {
        if (!attempt.failure) co_return;
        // The server's trouble is everybody's: trying each alone would make it last.
        if (attempt.is_servers || members.size() == 1) {
            for (Waiter* waiter : members)
                waiter->failure = attempt.failure;
            co_return;
        }
        for (Waiter* waiter : members) {
            Attempt const single = co_await try_work(session, {&waiter, 1});
            waiter->failure = single.failure;
            if (single.stalled) fail_timed_out({waiter}, *single.stalled);
        }
    }

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

    /// Lets those go on that have an output or a failure; the others are left in `batch`.
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
    Work const work;
    WaitingLimits const limits;

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
