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

/// The rules of the in-app purchase platform's events: interfaces.md, "D. Entitlement status by inbound
/// event" and D1.
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

/// The status that an event leaves its entitlement in.
Status status_after(PurchaseType type) noexcept;

/// Which of two events of one moment is taken as the later: EXPIRATION, before it BILLING_ISSUE,
/// SUBSCRIPTION_PAUSED, CANCELLATION, and before those all others.
int rank_of(PurchaseType type) noexcept;

/// An event of a handled type.
struct PurchaseEvent {
    PurchaseType type{};
    Order order;
    std::string user_id;
    std::string product;        ///< the new one of a PRODUCT_CHANGE
    std::string transaction_id; ///< or empty
    std::optional<core::Time> purchased_at, expires_at, grace_until;
    core::Time received_at = on_arrival;
};

/// The entitlement as the event alone leaves it: nothing of what was there before lasts. `consumable`: the
/// event is about one purchase that does not renew (`transaction`), which a CANCELLATION, a refund, ends at
/// the event's time.
Entitlement entitlement_after(PurchaseEvent const& event, std::int64_t scope_id, bool consumable);

/// What there is of a product before an event.
struct HeldPurchases {
    std::optional<Entitlement> subscription; ///< of the product
    std::optional<Entitlement> consumable;   ///< of the event's transaction
};

/// The ids of those two, in that order: the second is the first again when the event can name no consumable.
std::array<core::Uuid, 2> entitlements_concerned(PurchaseEvent const& event, std::int64_t scope_id);

struct PurchaseDecision {
    bool applies = false;             ///< else it is stale, or (`again`) the one that has decided
    bool again = false;               ///< it is the very event that decided last
    std::optional<Entitlement> write; ///< what to write, stale or not
    /// Events about this consumable may have been taken for ones about a subscription, because it was not
    /// known to be one before this event: fold_purchases() over all events of the user and the product
    /// decides.
    bool needs_history = false;
};

/// What an event does to what there is.
PurchaseDecision decide(PurchaseEvent const& event, std::int64_t scope_id, HeldPurchases const& held);

/// The entitlements that a history leaves, whatever the order of `events`. The same as deciding them one by
/// one. Ordered by id.
std::vector<Entitlement> fold_purchases(std::int64_t scope_id, std::span<PurchaseEvent const> events);

} // namespace billing
