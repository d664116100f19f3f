#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "domain/entitlement.hpp"
#include "domain/subscriber.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The rules of a sync, which sets a user's entitlements to the state at the purchase provider.
namespace billing {

/// `last_event_type` of an entitlement that a sync decided.
inline constexpr std::string_view sync_type = "SYNC";

/// The entitlement that a purchase gives at time `asked_at`. The first rule that matches decides the status:
///
/// - A refunded purchase is expired, with an end no later than the refund.
/// - A purchase that resumes later is paused.
/// - A purchase with a billing issue is expired, unless a grace period is in effect.
/// - A purchase whose period and grace period have ended is expired.
/// - Any other purchase is active.
Entitlement entitlement_after(
    Purchase const& purchase, core::ScopeId scope_id, core::UserId const& user_id, core::Time asked_at);

/// Whether a sync changed the status, a time or the renewal, or the entitlement is new. A change of `last`
/// alone does not count.
bool is_changed_by_sync(EntitlementChange const& write) noexcept;

/// The entitlements that a sync writes in one environment, including entitlements that it only confirms.
/// `stored` contains all entitlements of the user from purchases in this environment. `asked_at` is the time
/// just before the request to the provider. Ordered by id.
///
/// - Entitlements whose last event is not earlier than `asked_at` stay unchanged.
/// - Consumables stay unchanged if the provider's document does not list consumables.
/// - Other entitlements that the provider does not list expire.
/// - All other entitlements get the state that the provider states.
///
/// An event from before `asked_at` that arrives after the sync is stale.
std::vector<EntitlementChange> decide_sync(core::ScopeId scope_id, core::UserId const& user_id,
    Subscriber const& subscriber, std::span<Entitlement const> stored, core::Time asked_at);

} // namespace billing
