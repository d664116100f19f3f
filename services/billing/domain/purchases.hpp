#pragma once

#include "domain/entitlement.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The rules for events of the in-app purchase platform. The contract (proto/billing.openapi.yaml) lists the
/// resulting status of each type.
namespace billing {

enum class PurchaseType : std::uint8_t {
    initial_purchase,
    non_renewing_purchase,
    renewal,
    product_change,
    cancellation,
    uncancellation,
    expiration,
    billing_issue,
    subscription_paused,
    subscription_extended,
};
/// In the order of PurchaseType.
inline constexpr std::array<std::string_view, 10> purchase_types{"INITIAL_PURCHASE", "NON_RENEWING_PURCHASE",
    "RENEWAL", "PRODUCT_CHANGE", "CANCELLATION", "UNCANCELLATION", "EXPIRATION", "BILLING_ISSUE",
    "SUBSCRIPTION_PAUSED", "SUBSCRIPTION_EXTENDED"};

constexpr std::string_view to_string(PurchaseType type) noexcept
{
    return purchase_types[static_cast<std::size_t>(type)];
}

/// The status of an entitlement after an event.
Status status_after(PurchaseType type) noexcept;

/// The rank of an event type. Of two events at the same time, the event with the greater rank counts as
/// later. The ranks from greatest to smallest: EXPIRATION, BILLING_ISSUE, SUBSCRIPTION_PAUSED, CANCELLATION,
/// all other types.
int rank_of(PurchaseType type) noexcept;

/// An event of a handled type.
struct PurchaseEvent {
    PurchaseType type{};
    Order order;
    std::string user_id;
    std::string product;        ///< the new product of a PRODUCT_CHANGE
    std::string transaction_id; ///< may be empty
    std::optional<core::Time> purchased_at, expires_at, grace_until;
    core::Time received_at = on_arrival;
};

/// The entitlement that results from `event` alone, without earlier state. `consumable`: whether the event is
/// about a purchase that does not renew. A CANCELLATION of such a purchase is a refund, so the entitlement
/// ends at the event's time.
Entitlement entitlement_after(PurchaseEvent const& event, std::int64_t scope_id, bool consumable);

/// The existing entitlements that an event may concern.
struct HeldPurchases {
    std::optional<Entitlement> subscription; ///< the user's subscription to the event's product
    std::optional<Entitlement> consumable;   ///< the purchase with the event's transaction
};

/// The ids of the two entitlements in HeldPurchases, in the order of its members. Both ids are equal if the
/// event identifies no transaction.
std::array<core::Uuid, 2> entitlements_concerned(PurchaseEvent const& event, std::int64_t scope_id);

struct PurchaseDecision {
    bool applies = false; ///< false: the event is stale, or `again` is true
    bool again = false;   ///< the same event decided the stored state
    /// The row to write, if any. A stale event may still change `created_at`.
    std::optional<Entitlement> write;
    /// True if the event shows that the product is a consumable, but the user has a subscription entitlement
    /// to it. Earlier events of the consumable may have been applied to that entitlement. In this case the
    /// caller must call fold_purchases() with all events of the user and the product.
    bool needs_history = false;
};

/// Applies an event to the existing entitlements.
PurchaseDecision decide(PurchaseEvent const& event, std::int64_t scope_id, HeldPurchases const& held);

/// The entitlements that result from `events`, which may have any order. Calling `decide` for each event
/// gives the same result. Ordered by id.
std::vector<Entitlement> fold_purchases(std::int64_t scope_id, std::span<PurchaseEvent const> events);

} // namespace billing
