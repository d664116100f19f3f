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
};

constexpr auto enum_names(PaymentEventType)
{
    return std::to_array<std::string_view>({"customer.subscription.created", "customer.subscription.updated",
        "customer.subscription.deleted", "invoice.paid"});
}

/// The rank of an event. Of two events in the same second, the event with the greater rank counts as later.
/// Ranks are needed because the provider's times are whole seconds, and one second often has several events
/// of a checkout. The ranks from smallest to greatest: created or `incomplete`, updated, paid, ended.
int rank_of(PaymentEventType type, SubscriptionStatus status) noexcept;

/// An item of a subscription. In old API versions an item has a plan instead of a price; the plan's id is
/// used as the price's id.
struct SubscriptionItem {
    std::string product;     ///< id of the price
    std::string alternative; ///< id of the price's product; may be empty
    std::optional<core::Time> since;
    std::optional<core::Time> ends; ///< end of the paid period
    core::Time received_at =
        set_by_database; ///< when the first event that names `product` arrived; not stored

    friend bool operator==(SubscriptionItem const& a, SubscriptionItem const& b)
    {
        return a.product == b.product && a.alternative == b.alternative && a.since == b.since &&
               a.ends == b.ends;
    }
};

/// An event that contains a whole subscription. Items have different products and are sorted by product.
struct SubscriptionEvent {
    PaymentEventType type{};
    EventOrder order;
    std::string subscription_id;
    core::UserId user_id; ///< `metadata.userId`
    SubscriptionStatus status{};
    bool cancels_at_period_end = false; ///< whether the subscription ends at the end of the period
    std::optional<core::Time> ended_at;
    std::vector<SubscriptionItem> items;
    core::Time received_at = set_by_database;
};

/// The end of the period that an invoice pays for. If `product` is empty, the line applies to every item.
struct InvoiceLine {
    std::string product;
    core::Time ends;

    friend bool operator==(InvoiceLine const&, InvoiceLine const&) = default;
};

/// A paid invoice of a subscription.
struct InvoiceEvent {
    EventOrder order;
    std::string subscription_id;
    std::vector<InvoiceLine> lines;
    core::Time received_at = set_by_database;
};

/// Reads the payments provider's envelope, Stripe's `{id, type, created, livemode, data: {object}}`
/// (https://docs.stripe.com/api/events/object). Accepts subscriptions and invoices of old and new API
/// versions. Versions since 2025-03-31 have the periods in the items of a subscription, and
/// `parent.subscription_details` in an invoice.
ParsedEvent parse_payment_event(boost::json::value const& document);

} // namespace billing
