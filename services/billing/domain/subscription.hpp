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

/// The rules for events of the card payment provider. An event contains a whole subscription with all its
/// items. A user's entitlements follow from the last state of each subscription.
namespace billing {

/// The status of a subscription at the provider.
enum class PaymentStatus : std::uint8_t {
    trialing,
    active,
    paused,
    past_due,
    unpaid,
    canceled,
    incomplete,
    incomplete_expired,
};
/// In the order of PaymentStatus.
inline constexpr std::array<std::string_view, 8> payment_statuses{
    "trialing", "active", "paused", "past_due", "unpaid", "canceled", "incomplete", "incomplete_expired"};

/// A tenant's settings for payments.
struct PaymentRules {
    bool past_due_is_active = false;
};

/// The entitlement status that follows from a subscription's status.
Status status_of(PaymentStatus status, PaymentRules const& rules) noexcept;

/// Whether the status never changes again.
constexpr bool is_final(PaymentStatus status) noexcept
{
    return status == PaymentStatus::canceled || status == PaymentStatus::incomplete_expired;
}

enum class PaymentType : std::uint8_t {
    subscription_created,
    subscription_updated,
    subscription_deleted,
    invoice_paid,
};
/// In the order of PaymentType.
inline constexpr std::array<std::string_view, 4> payment_types{"customer.subscription.created",
    "customer.subscription.updated", "customer.subscription.deleted", "invoice.paid"};

constexpr std::string_view to_string(PaymentType type) noexcept
{
    return payment_types[static_cast<std::size_t>(type)];
}

/// The rank of an event. Of two events in the same second, the event with the greater rank counts as later.
/// Ranks are needed because the provider's times are whole seconds, and one second often has several events
/// of a checkout. The ranks from smallest to greatest: created or `incomplete`, updated, paid, ended.
int rank_of(PaymentType type, PaymentStatus status) noexcept;

/// An item of a subscription. In old API versions an item has a plan instead of a price; the plan's id is
/// used as the price's id.
struct SubscriptionItem {
    std::string product;     ///< id of the price
    std::string alternative; ///< id of the price's product; may be empty
    std::optional<core::Time> since;
    std::optional<core::Time> ends;      ///< end of the paid period
    core::Time received_at = on_arrival; ///< when the first event that names `product` arrived; not stored

    friend bool operator==(SubscriptionItem const& a, SubscriptionItem const& b)
    {
        return a.product == b.product && a.alternative == b.alternative && a.since == b.since &&
               a.ends == b.ends;
    }
};

/// An event that contains a whole subscription. Items have different products and are sorted by product.
struct SubscriptionEvent {
    PaymentType type{};
    Order order;
    std::string subscription_id;
    std::string user_id; ///< `metadata.userId`
    PaymentStatus status{};
    bool cancels = false; ///< whether the subscription ends at the end of the period
    std::optional<core::Time> ended_at;
    std::vector<SubscriptionItem> items;
    core::Time received_at = on_arrival;
};

/// The end of the period that an invoice pays for. If `product` is empty, the line applies to every item.
struct InvoiceLine {
    std::string product;
    core::Time ends;

    friend bool operator==(InvoiceLine const&, InvoiceLine const&) = default;
};

/// A paid invoice of a subscription.
struct InvoiceEvent {
    Order order;
    std::string subscription_id;
    std::vector<InvoiceLine> lines;
    core::Time received_at = on_arrival;
};

/// The state of a subscription after its events. The state consists of the last event that contains the
/// subscription, the items of earlier events that are missing from that event, and the last paid invoice.
struct Subscription {
    struct Removed {
        std::string user_id;
        SubscriptionItem item;
        std::string type;                    ///< type of the first event without the item
        Order order;                         ///< position of this event
        core::Time received_at = on_arrival; ///< when this event arrived; not stored

        friend bool operator==(Removed const& a, Removed const& b)
        {
            return a.user_id == b.user_id && a.item == b.item && a.type == b.type && a.order == b.order;
        }
    };

    struct Paid {
        Order order;
        std::vector<InvoiceLine> lines;
        core::Time received_at = on_arrival; ///< not stored

        friend bool operator==(Paid const& a, Paid const& b)
        {
            return a.order == b.order && a.lines == b.lines;
        }
    };

    std::string id;
    std::string user_id;
    PaymentType type{};
    Order order; ///< of the last event that contains the subscription
    PaymentStatus status{};
    bool cancels = false;
    std::optional<core::Time> ended_at;
    std::vector<SubscriptionItem> items;
    std::vector<Removed> removed;
    std::optional<Paid> paid;
    core::Time received_at = on_arrival; ///< when the event at `order` arrived; not stored
    std::int64_t revision = 0;           ///< incremented by each write; 0: not written yet
};

/// The maximum number of removed items that are stored; the latest ones are kept. The limit bounds the size
/// of the row. Normal plan changes remove far fewer items.
inline constexpr std::size_t max_removed = 200;

/// Whether both have the same state. Ignores times of receipt and `revision`.
bool same_state(Subscription const& a, Subscription const& b);

/// The subscription after `event`, which contains it. Precondition: `event` is later than the events of
/// `before`.
Subscription after_event(std::optional<Subscription> const& before, SubscriptionEvent const& event);

/// Applies a paid invoice. Returns true if `invoice` becomes the last paid invoice. Returns false and changes
/// nothing if the stored invoice is the same or a later one.
bool pay(Subscription& subscription, InvoiceEvent const& invoice);

/// The subscription that results from its events, which may have any order. nullopt if no event contains the
/// subscription.
std::optional<Subscription> fold_subscription(
    std::span<SubscriptionEvent const> carried, std::span<InvoiceEvent const> invoices);

/// The effect of an event on a subscription.
struct PaymentDecision {
    enum class Kind : std::uint8_t {
        applies,
        stale,         ///< an invoice that is older than the stored state
        ended,         ///< an invoice for a subscription that has ended
        awaits,        ///< an invoice whose subscription has no stored state
        needs_history, ///< call fold_subscription() with all events of the subscription
    };

    Kind kind{};
    std::optional<Subscription> after; ///< the state to store
};

/// Decides the effect of an event on the stored state `before`. `has_history`: whether events of the
/// subscription were received although it has no stored state.
PaymentDecision decide(
    std::optional<Subscription> const& before, SubscriptionEvent const& event, bool has_history);
PaymentDecision decide(std::optional<Subscription> const& before, InvoiceEvent const& invoice);

/// Merges the result of fold_subscription() with the stored state `before`. Only `before` includes events
/// that are no longer in the archive.
Subscription joined(std::optional<Subscription> const& before, Subscription folded);

/// A user's entitlements from subscriptions, one per product. If several items or subscriptions have the same
/// product, the best one decides the entitlement. Active is better than paused, and paused is better than
/// expired; with equal statuses, the later end is better. The entitlement of a replaced or removed item
/// expired at the time of the first event without the item. Ordered by product.
std::vector<Entitlement> entitlements_of(std::int64_t scope_id, std::string const& user_id,
    std::span<Subscription const> subscriptions, PaymentRules const& rules);

/// The entitlements of `wanted` that differ from the stored entitlements `held`, ready to be written. Each
/// result gets the revision of its stored row, the earlier `created_at` of both, and, if the same event
/// decided both, the stored `updated_at`.
std::vector<Entitlement> changes_to(std::span<Entitlement const> held, std::vector<Entitlement> wanted);

} // namespace billing
