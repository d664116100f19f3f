#include "pg/batch_runner.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace pg {

asio::awaitable<UntypedBatcher::Attempt> UntypedBatcher::BatchRunner::run_once(
    BatchConnection& connection, Waiters members) const
{
    Attempt attempt;
    try {
        co_await work(connection, members);
    } catch (Stalled const& stalled) {
        attempt.stalled = stalled;
    } catch (core::Error const& error) {
        attempt.failure = std::current_exception();
        attempt.is_servers = error.code().status == core::codes::unavailable.status;
    } catch (...) {
        attempt.failure = std::current_exception();
    }
    co_return attempt;
}

asio::awaitable<void> UntypedBatcher::BatchRunner::complete(
    BatchConnection& connection, Waiters members, Attempt attempt) const
{
    if (!attempt.failure) co_return;
    // A failure of the server affects all members. A separate run for each member would only add load.
    if (attempt.is_servers || members.size() == 1) {
        for (Waiter* waiter : members)
            waiter->failure = attempt.failure;
        co_return;
    }
    for (Waiter* waiter : members) {
        Attempt const single = co_await run_once(connection, {&waiter, 1});
        waiter->failure = single.failure;
        if (single.stalled) fail_timed_out({waiter}, *single.stalled);
    }
}

void UntypedBatcher::BatchRunner::fail_timed_out(Members const& members, Stalled const& stalled)
{
    auto const is_same = [&](Waiter* w) { return w->scope_id == members.front()->scope_id; };
    if (stalled.cause() != Stalled::Cause::timeout || !std::ranges::all_of(members, is_same)) return;
    for (Waiter* waiter : members)
        waiter->failure = std::make_exception_ptr(stalled);
}

} // namespace pg
