#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/user_id.hpp"
#include "domain/event_order.hpp"

#include <boost/json/value.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The events of the purchase provider.
namespace billing {

using core::to_string;

struct ParsedEvent; // domain/event.hpp

enum class PurchaseEventType : std::uint8_t {
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

constexpr auto enum_names(PurchaseEventType)
{
    return std::to_array<std::string_view>(
        {"INITIAL_PURCHASE", "NON_RENEWING_PURCHASE", "RENEWAL", "PRODUCT_CHANGE", "CANCELLATION",
            "UNCANCELLATION", "EXPIRATION", "BILLING_ISSUE", "SUBSCRIPTION_PAUSED", "SUBSCRIPTION_EXTENDED"});
}

/// The rank of an event type. Of two events at the same time, the event with the greater rank counts as
/// later. The ranks from greatest to smallest: EXPIRATION, BILLING_ISSUE, SUBSCRIPTION_PAUSED, CANCELLATION,
/// all other types.
int rank_of(PurchaseEventType type) noexcept;

/// An event of a handled type.
struct PurchaseEvent {
    PurchaseEventType type{};
    EventOrder order;
    core::UserId user_id;
    std::string product;        ///< the new product of a PRODUCT_CHANGE
    std::string transaction_id; ///< may be empty
    std::optional<core::Time> purchased_at, expires_at, grace_until;
    core::Time received_at = set_by_database;
};

/// Reads the purchase provider's envelope, RevenueCat's `{api_version, event: {…}}`
/// (https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields). Handled types require all
/// fields that determine the result; other types require only `id` and `type`.
ParsedEvent parse_purchase_event(boost::json::value const& document);

} // namespace billing
