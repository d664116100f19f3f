#pragma once

#include "core/scope.hpp"
#include "domain/entitlement.hpp"
#include "domain/purchase_event.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

/// The rules for events of the purchase provider. The contract (proto/billing.openapi.yaml) lists the
/// resulting status of each type.
namespace billing {

/// The status of an entitlement after an event.
Status status_after(PurchaseEventType type) noexcept;

/// The entitlement that results from `event` alone, without earlier state. `consumable`: whether the event is
/// about a purchase that does not renew. A CANCELLATION of such a purchase is a refund, so the entitlement
/// ends at the event's time.
Entitlement entitlement_after(PurchaseEvent const& event, core::ScopeId scope_id, bool consumable);

/// The existing entitlements that an event may concern.
struct StoredPurchases {
    std::optional<Entitlement> subscription; ///< the user's subscription to the event's product
    std::optional<Entitlement> consumable;   ///< the purchase with the event's transaction
};

/// The ids of the two entitlements in StoredPurchases, in the order of its members. Both ids are equal if the
/// event identifies no transaction.
std::array<core::Uuid, 2> affected_entitlement_ids(PurchaseEvent const& event, core::ScopeId scope_id);

struct PurchaseDecision {
    bool applies = false;   ///< false: the event is stale, or `is_repeat` is true
    bool is_repeat = false; ///< the same event decided the stored state
    /// The row to write, if any. A stale event may still change `created_at`.
    std::optional<Entitlement> write;
    /// True if the event shows that the product is a consumable, but the user has a subscription entitlement
    /// to it. Earlier events of the consumable may have been applied to that entitlement. In this case the
    /// caller must call fold_purchases() with all events of the user and the product.
    bool needs_history = false;
};

/// Applies an event to the existing entitlements.
PurchaseDecision decide(PurchaseEvent const& event, core::ScopeId scope_id, StoredPurchases const& stored);

/// The entitlements that result from `events`, which may have any order. Calling `decide` for each event
/// gives the same result. Ordered by id.
std::vector<Entitlement> fold_purchases(core::ScopeId scope_id, std::span<PurchaseEvent const> events);

} // namespace billing
