#include "pg/untyped_batcher.hpp"

#include "pg/batcher_state.hpp"

namespace pg {

UntypedBatcher::UntypedBatcher(Database& database, Work work)
    : state_(std::make_shared<State>(database, std::move(work)))
{
}

asio::awaitable<void> UntypedBatcher::wait(asio::any_io_executor const& executor, Waiter& waiter)
{
    // This function is not a coroutine, because a coroutine would allocate a frame for each call.
    // The queue is found before the caller is suspended, so that a failure is an exception of this function.
    return core::suspend([state = state_.get(), queue = state_->queue_of(executor), &waiter, executor](
                             core::Suspended caller) {
        waiter.caller.emplace(std::move(caller));
        state->join(queue, waiter, executor);
    });
}

} // namespace pg
