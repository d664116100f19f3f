#pragma once

#include "domain/event.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace billing {

/// The entitlements of a user that result from the events of both providers. `events` may have any order.
/// Events of other users and skipped events are ignored. Ordered by creation, newest first, then by id.
std::vector<Entitlement> entitlements_after(std::int64_t scope_id, std::string const& user_id,
    std::span<Event const> events, PaymentRules const& rules);

} // namespace billing
