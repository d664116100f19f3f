#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/user_id.hpp"
#include "domain/event_order.hpp"
#include "domain/price.hpp"
#include "domain/purchase_event.hpp"

#include <boost/json/value.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

/// The events of the payments provider.
namespace billing {

using core::to_string;

struct ParsedEvent; // domain/event.hpp

/// The status of a subscription at the provider.
enum class SubscriptionStatus : std::uint8_t {
    trialing,
    active,
    paused,
    past_due,
    unpaid,
    canceled,
    incomplete,
    incomplete_expired,
};

constexpr auto enum_names(SubscriptionStatus)
{
    return std::to_array<std::string_view>({"trialing", "active", "paused", "past_due", "unpaid", "canceled",
        "incomplete", "incomplete_expired"});
}

/// Whether the status never changes again.
constexpr bool is_final(SubscriptionStatus status) noexcept
{
    return status == SubscriptionStatus::canceled || status == SubscriptionStatus::incomplete_expired;
}

enum class PaymentEventType : std::uint8_t {
    subscription_created,
    subscription_updated,
    subscription_deleted,
    invoice_paid,
    sync, ///< a subscription that was fetched from the provider's API
};

constexpr auto enum_names(PaymentEventType)
{
    return std::to_array<std::string_view>({"customer.subscription.created", "customer.subscription.updated",
        "customer.subscription.deleted", "invoice.paid", "SYNC"});
}

/// The type of a webhook event about a subscription or an invoice; nullopt for other names.
std::optional<PaymentEventType> payment_type_of(std::string_view name) noexcept;

/// The rank of an event. Of two events in the same second, the event with the greater rank counts as later.
/// Ranks are needed because the provider's times are whole seconds, and one second often has several events
/// of a checkout. The ranks from smallest to greatest: created or `incomplete`, updated, paid, ended,
/// fetched. Among updates in the same second, `fold_subscription` decides (domain/subscription.hpp).
int rank_of(PaymentEventType type, SubscriptionStatus status) noexcept;

/// An item of a subscription. In old API versions an item has a plan instead of a price; the plan's id is
/// used as the price's id.
struct SubscriptionItem {
    std::string product;     ///< id of the price
    std::string alternative; ///< id of the price's product; may be empty
    std::optional<core::Time> since;
    std::optional<core::Time> starts, ends; ///< the current period
    std::int64_t quantity = 1;
    std::optional<Price> price;                 ///< of one unit
    std::optional<std::int64_t> monthly_amount; ///< of all units, in minor units
    core::Time received_at =
        set_by_database; ///< when the first event that names `product` arrived; not stored

    friend bool operator==(SubscriptionItem const& a, SubscriptionItem const& b)
    {
        return std::tie(a.product, a.alternative, a.since, a.starts, a.ends, a.quantity, a.price,
                   a.monthly_amount) == std::tie(b.product, b.alternative, b.since, b.starts, b.ends,
                                            b.quantity, b.price, b.monthly_amount);
    }
};

/// The members of a subscription that apply to all of its items.
struct SubscriptionTerms {
    bool cancels_at_period_end = false;  ///< whether the subscription ends at the end of the period
    std::optional<core::Time> cancel_at; ///< when it is going to end
    std::optional<core::Time> ended_at;
    std::optional<core::Time> trial_ends_at;
    std::string latest_invoice; ///< id; may be empty
    std::string cancel_reason;  ///< may be empty

    friend bool operator==(SubscriptionTerms const&, SubscriptionTerms const&) = default;
};

/// An event that contains a whole subscription. Items have different products and are sorted by product.
struct SubscriptionEvent {
    PaymentEventType type{};
    EventOrder order;
    std::string subscription_id;
    core::UserId user_id; ///< `metadata.userId`
    SubscriptionStatus status{};
    SubscriptionTerms terms;
    std::vector<SubscriptionItem> items;
    /// Whether the subscription has items that the event does not list.
    bool items_incomplete = false;
    /// Some members of the subscription after and before the event, as JSON text by name. They order updates
    /// in the same second.
    std::map<std::string, std::string> members, previous;
    core::Time received_at = set_by_database;
};

/// The period of an item that an invoice pays for.
struct InvoiceLine {
    std::string product; ///< id of the item's price
    std::optional<core::Time> starts;
    core::Time ends;

    friend bool operator==(InvoiceLine const&, InvoiceLine const&) = default;
};

/// A paid invoice of a subscription.
struct InvoiceEvent {
    EventOrder order;
    std::string invoice_id; ///< may be empty
    std::string subscription_id;
    std::vector<InvoiceLine> lines;
    core::Time received_at = set_by_database;
};

/// A completed checkout of a product that is paid once.
struct CheckoutEvent {
    core::UserId user_id;
    /// `metadata.productId`: the id of the product in the catalog, or the provider's id.
    std::string product;
    PurchaseFact fact;
    std::string purchase_id; ///< id of the payment intent or, without one, of the session
    core::Time received_at = set_by_database;
};

/// A full refund, or a dispute that was lost.
struct ReversalEvent {
    PurchaseEventType type{}; ///< charge_refunded or dispute_lost
    EventOrder order;
    std::string payment_intent_id; ///< may be empty
    core::Time received_at = set_by_database;
};

/// Reads the payments provider's envelope, Stripe's `{id, type, created, livemode, data: {object}}`
/// (https://docs.stripe.com/api/events/object). Accepts subscriptions and invoices of old and new API
/// versions. Versions since 2025-03-31 have the periods in the items of a subscription, and
/// `parent.subscription_details` in an invoice.
ParsedEvent parse_payment_event(boost::json::value const& document);

/// Reads a subscription that the provider's API returned, as an event of type `sync` with the given position.
ParsedEvent parse_fetched_subscription(boost::json::value const& subscription, EventOrder const& order);

} // namespace billing
