#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/user_id.hpp"
#include "domain/event_order.hpp"
#include "domain/price.hpp"
#include "domain/source.hpp"

#include <boost/json/value.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Events about one purchase: the events of the purchase provider, one-time payments through the payments
/// provider, and manual grants.
namespace billing {

using core::to_string;

struct ParsedEvent; // domain/event.hpp

enum class PurchaseEventType : std::uint8_t {
    // of the purchase provider
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
    // of the payments provider: a one-time payment, and what takes it back
    checkout_completed,
    checkout_paid_later,
    charge_refunded,
    dispute_lost,
    // of this service
    sync,   ///< the state that the provider's API reported
    grant,  ///< a manual grant
    revoke, ///< the end of a manual grant
    moved,  ///< the purchase belongs to another user id of the same customer
};

constexpr auto enum_names(PurchaseEventType)
{
    return std::to_array<std::string_view>(
        {"INITIAL_PURCHASE", "NON_RENEWING_PURCHASE", "RENEWAL", "PRODUCT_CHANGE", "CANCELLATION",
            "UNCANCELLATION", "EXPIRATION", "BILLING_ISSUE", "SUBSCRIPTION_PAUSED", "SUBSCRIPTION_EXTENDED",
            "checkout.session.completed", "checkout.session.async_payment_succeeded", "charge.refunded",
            "charge.dispute.closed", "SYNC", "GRANT", "REVOKE", "MOVED"});
}

/// The type of a purchase provider's event with this name; nullopt if the service does not handle it.
std::optional<PurchaseEventType> purchase_type_of(std::string_view name) noexcept;

/// The rank of an event type. Of two events at the same time, the event with the greater rank counts as
/// later. The ranks from greatest to smallest: SYNC, EXPIRATION, BILLING_ISSUE, SUBSCRIPTION_PAUSED,
/// CANCELLATION, all other types.
int rank_of(PurchaseEventType type) noexcept;

enum class PeriodType : std::uint8_t { normal, trial, intro };

constexpr auto enum_names(PeriodType)
{
    return std::to_array<std::string_view>({"normal", "trial", "intro"});
}

/// The whole state of a purchase at one time.
struct SyncedState {
    Status status{};
    bool will_renew = false;
    bool in_billing_issue = false;
    std::optional<core::Time> ended_at; ///< when access ended early: refund, or no longer listed

    friend bool operator==(SyncedState const&, SyncedState const&) = default;
};

/// What an event states about a purchase.
struct PurchaseFact {
    PurchaseEventType type{};
    EventOrder order;
    bool is_refund = false; ///< a CANCELLATION by customer support
    std::optional<core::Time> purchased_at, expires_at, grace_until;
    std::string transaction_id;            ///< may be empty
    std::optional<PeriodType> period_type; ///< nullopt: not stated
    std::optional<std::int64_t> quantity;
    std::optional<Price> price;
    std::string cancel_reason;         ///< may be empty
    std::optional<std::string> reason; ///< of a manual grant
    /// Set if the event states the whole state: a sync, or the row that an older version has stored.
    std::optional<SyncedState> synced;

    friend bool operator==(PurchaseFact const&, PurchaseFact const&) = default;
};

/// An event of a handled type.
struct PurchaseEvent {
    Source source = Source::purchases;
    core::UserId user_id;
    std::string product; ///< the new product of a PRODUCT_CHANGE
    std::string store;   ///< in upper case; may be empty
    /// The transaction of a purchase that does not renew, if the event itself shows that it is one: a
    /// NON_RENEWING_PURCHASE, a checkout, a grant of a consumable. Otherwise empty.
    std::string purchase_id;
    PurchaseFact fact;
    std::vector<core::UserId> aliases; ///< other user ids of the same customer
    core::Time received_at = set_by_database;
};

/// Maximum number of `aliases`; further ones are ignored.
inline constexpr std::size_t max_aliases = 10;

/// Reads the purchase provider's envelope, RevenueCat's `{api_version, event: {…}}`
/// (https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields). Handled types require all
/// fields that determine the result; other types require only `id` and `type`.
ParsedEvent parse_purchase_event(boost::json::value const& document);

} // namespace billing
