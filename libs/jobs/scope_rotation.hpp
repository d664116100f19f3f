#pragma once
// Internal to the workers.

#include "jobs/queue.hpp"

namespace jobs {

/// A worker's position in its round over the scopes.
struct ScopeRotation {
    core::ScopeId cursor{}; ///< `after_scope` of the next claim
    bool fruitless = true;  ///< whether the round has found no job
    bool complete = true;   ///< whether no limit has stopped a claim of the round

    bool between_rounds() const noexcept { return cursor == core::ScopeId{}; }

    /// Advances the position past `result`. `limited`: whether a limit has stopped the claim. Returns false
    /// if a whole round over all scopes has found no job, or has left none.
    bool advance(ClaimResult const& result, bool limited)
    {
        fruitless = fruitless && result.claims.empty();
        complete = complete && !limited;
        cursor = result.next_scope;
        if (!result.end) return true;
        bool const more = !fruitless && !complete;
        *this = ScopeRotation{};
        return more;
    }
};

} // namespace jobs
