#pragma once
// Internal to pg: runs the work of a Batcher and evaluates its result.

#include "pg/batcher_queue.hpp"

#include <exception>
#include <optional>
#include <vector>

namespace pg {

/// The result of a call of `work`: a success if neither `stalled` nor `failure` is set.
struct UntypedBatcher::Attempt {
    std::optional<Stalled> stalled;
    std::exception_ptr failure;
    bool is_servers = false; ///< whether `failure` is a failure of the server, not of the batch
};

/// Runs `work` for waiting callers.
struct UntypedBatcher::BatchRunner {
    using Members = std::vector<Waiter*>;

    /// Runs `work` once. After a success, the members have outputs.
    asio::awaitable<Attempt> run_once(BatchConnection& connection, Waiters members) const;

    /// Completes an attempt that waited for no lock. If the attempt failed, runs `work` for each member
    /// alone. A member that finds a lock held in its own run gets no answer here. Its scope runs separately
    /// later.
    asio::awaitable<void> complete(BatchConnection& connection, Waiters members, Attempt attempt) const;

    /// If the statement exceeded `statement_timeout` and all members belong to one scope, fails the members,
    /// because the batch cannot be split by scope.
    static void fail_timed_out(Members const& members, Stalled const& stalled);

    Work work;
};

} // namespace pg
