// How a Batcher runs scopes separately.
#include "pg/batcher_state.hpp"

namespace pg {

void UntypedBatcher::State::separate(Queue& queue, WaiterPtr waiter)
{
    waiter->deadline = Clock::now() + database.options().queue_timeout;
    if (!waiter->counted) {
        waiter->counted = database.separate_callers();
        ++*waiter->counted;
    }
    auto const [scope, is_new] = queue.separate_scopes.try_emplace(waiter->scope_id);
    if (is_new) scope->second.ready_at = Clock::now();
    scope->second.waiting.push_back(std::move(waiter));
}

void UntypedBatcher::State::ensure_separate_server(
    std::shared_ptr<Queue> const& queue, asio::any_io_executor const& executor)
{
    auto const next = queue->next_ready();
    if (!next) return;
    if (!queue->sleeping.empty()) {
        if (*next <= Clock::now()) queue->sleeping.back()->cancel();
    } else if (queue->separate_servers < parallel_scopes) {
        ++queue->separate_servers;
        asio::co_spawn(
            executor, [self = this->shared_from_this(), queue] { return self->serve_separate_scopes(queue); },
            asio::detached);
    }
}

asio::awaitable<void> UntypedBatcher::State::serve_separate_scopes(std::shared_ptr<Queue> queue)
{
    struct Serving {
        Queue& queue;

        ~Serving()
        {
            if (--queue.separate_servers > 0) return;
            for (auto& [id, scope] : queue.separate_scopes)
                scope.waiting.clear(); // empty, unless the context ends
        }
    };

    asio::any_io_executor const executor = co_await asio::this_coro::executor;
    Serving const serving{*queue};
    for (;;) {
        expire(*queue);
        if (auto const next = queue->next_separate(Clock::now()); next != queue->separate_scopes.end()) {
            next->second.in_service = true;
            next->second.ready_at = Clock::now();
            ensure_separate_server(queue, executor); // another server runs the other ready scopes
            co_await run_separately(*queue, next->first, next->second);
            // The other `serve_separate_scopes` may have ended because no other scope was ready.
            ensure_separate_server(queue, executor);
            continue;
        }
        auto const ready = queue->next_ready();
        if (!ready) co_return;
        co_await sleep_until(*queue, executor, *ready);
    }
}

asio::awaitable<void> UntypedBatcher::State::sleep_until(
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

void UntypedBatcher::State::expire(Queue& queue)
{
    auto const now = Clock::now();
    std::vector<WaiterPtr> late;
    for (auto& [id, scope] : queue.separate_scopes) {
        if (scope.in_service) continue;
        for (WaiterPtr& waiter : scope.waiting)
            if (waiter->deadline <= now) late.push_back(std::move(waiter));
        std::erase(scope.waiting, nullptr);
    }
    std::erase_if(queue.separate_scopes, [now](auto const& it) { return it.second.is_over(now); });
    fail(std::move(late), std::make_exception_ptr(Stalled(Stalled::Cause::scope_lock)));
}

asio::awaitable<void> UntypedBatcher::State::run_separately(
    Queue& queue, core::ScopeId scope_id, SeparateScope& scope)
{
    std::unique_ptr<BatchConnection> const connection = co_await connection_for(scope);
    if (connection) {
        std::vector<WaiterPtr> batch = take_from(scope.waiting, scope.taking);
        auto const size = batch.size();
        scope.trying = size;
        auto const begun = Clock::now();
        auto const stalled = co_await answer_separately(*connection, batch);
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
    // If many scopes run separately, this scope returns to the common batches at once.
    if (queue.separate_scopes.size() <= parallel_scopes)
        scope.linger_until = Clock::now() + SeparateScopeState::linger;
    if (scope.is_over(Clock::now())) queue.separate_scopes.erase(scope_id);
}

asio::awaitable<std::unique_ptr<BatchConnection>> UntypedBatcher::State::connection_for(SeparateScope& scope)
{
    std::exception_ptr failure;
    try {
        co_return co_await database.batch_connection(scope.may_wait() ? LockWait::alone : LockWait::brief);
    } catch (...) {
        failure = std::current_exception();
    }
    fail(take_from(scope.waiting, scope.waiting.size()), failure);
    co_return nullptr;
}

asio::awaitable<std::optional<Stalled::Cause>> UntypedBatcher::State::answer_separately(
    BatchConnection& connection, std::span<WaiterPtr const> batch)
{
    Members const members = members_of(batch);
    Attempt const attempt = co_await runner.run_once(connection, members);
    if (attempt.stalled) {
        BatchRunner::fail_timed_out(members, *attempt.stalled);
        co_return members.front()->failure ? std::nullopt : std::optional(attempt.stalled->cause());
    }
    co_await runner.complete(connection, members, attempt);
    bool const is_over = std::ranges::all_of(members, &Waiter::is_answered);
    co_return is_over ? std::nullopt : std::optional(Stalled::Cause::row_lock);
}

void UntypedBatcher::State::put_back(Queue& queue, core::ScopeId scope_id, std::vector<WaiterPtr> batch,
    std::size_t size, Stalled::Cause cause)
{
    SeparateScope& scope = queue.separate_scopes.at(scope_id);
    bool const is_row = cause != Stalled::Cause::scope_lock;
    // After a row lock the batch goes to the end, because the other callers may not need that row. After
    // a scope lock it goes to the front, because all callers wait for that lock.
    auto const place = is_row ? scope.waiting.end() : scope.waiting.begin();
    scope.waiting.insert(place, std::make_move_iterator(batch.begin()), std::make_move_iterator(batch.end()));
    scope.stall(size, is_row, queue.random());
    std::vector<WaiterPtr> rest;
    while (queue.is_crowded(scope_id, limits)) {
        rest.push_back(std::move(scope.waiting.back()));
        scope.waiting.pop_back();
    }
    fail(std::move(rest), std::make_exception_ptr(Stalled(cause)));
}

} // namespace pg
