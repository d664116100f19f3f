#pragma once
// Internal to the workers.

#include "jobs/queue.hpp"

namespace jobs {

/// A worker's position in its round over the scopes.
struct ScopeRotation {
    core::ScopeId cursor{}; ///< `after_scope` of the next claim
    bool from_start = true;
    bool fruitless = true;

    /// Advances the position past `result`. Returns false if a whole round over all scopes has found no job.
    bool advance(ClaimResult const& result)
    {
        fruitless = fruitless && result.claims.empty();
        cursor = result.next_scope;
        if (!result.end) return true;
        bool const idle = fruitless && from_start;
        *this = ScopeRotation{};
        return !idle;
    }
};

} // namespace jobs
