#pragma once

#include "core/clock.hpp"
#include "domain/entitlement.hpp"
#include "domain/subscriber.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The rules of a sync, which sets a user's entitlements to the state at the purchase platform.
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
    Purchase const& purchase, std::int64_t scope_id, std::string const& user_id, core::Time asked_at);

/// One entitlement that a sync writes.
struct Synced {
    std::optional<Entitlement> from; ///< the state before; nullopt: the entitlement is new
    Entitlement to;

    /// Whether the status, a time or the renewal changed, or the entitlement is new. A change of `last` alone
    /// does not count.
    bool changed() const noexcept;
};

/// The result of a sync for one environment. `held` contains all entitlements of the user from the platform
/// in this environment. `asked_at` is the time just before the request to the platform. Ordered by id.
///
/// - Entitlements whose last event is not earlier than `asked_at` stay unchanged.
/// - Consumables stay unchanged if the platform's document does not list consumables.
/// - Other entitlements that the platform does not list expire.
/// - All other entitlements get the state that the platform states.
///
/// An event from before `asked_at` that arrives after the sync is stale.
std::vector<Synced> decide_sync(std::int64_t scope_id, std::string const& user_id,
    Subscriber const& subscriber, std::span<Entitlement const> held, core::Time asked_at);

} // namespace billing
