#pragma once

#include "core/clock.hpp"
#include "domain/entitlement.hpp"

#include <vector>

namespace billing {

/// What a user had at a moment of the providers' time. `now`: what the user has; `folded`: what the events up
/// to that moment leave. What was last decided by then is as it was; of the rest the events tell. One given
/// by hand, and ended later, was active from its grant on. Ordered by creation, newest first, then by id.
std::vector<Entitlement> entitlements_as_of(
    core::Time at, std::vector<Entitlement> const& now, std::vector<Entitlement> const& folded);

} // namespace billing
