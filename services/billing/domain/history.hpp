#pragma once

#include "domain/event.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace billing {

/// What a user has after a history of both providers' events, whatever their order: those of others, and
/// those that say nothing, are passed over. Ordered by creation, newest first, then by id.
std::vector<Entitlement> entitlements_after(std::int64_t scope_id, std::string const& user_id,
    std::span<Event const> events, PaymentRules const& rules);

} // namespace billing
