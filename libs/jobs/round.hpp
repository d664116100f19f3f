#pragma once
// Private to the workers.

#include "jobs/queue.hpp"

namespace jobs {

/// How far a worker has come in its round over the scopes.
struct Round {
    std::int64_t cursor = 0; ///< `after_scope` of the next claim
    bool from_start = true;
    bool fruitless = true;

    /// Moves on; false when a whole round, from the first scope to the last, found nothing.
    bool advance(ClaimResult const& result)
    {
        fruitless = fruitless && result.claims.empty();
        cursor = result.next_scope;
        if (!result.end) return true;
        bool const idle = fruitless && from_start;
        *this = Round{};
        return !idle;
    }
};

} // namespace jobs
