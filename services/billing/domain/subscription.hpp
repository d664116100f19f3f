#pragma once

#include "domain/payment_event.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The rules for events of the payments provider: the state of a subscription after its events. The
/// entitlements that follow from this state are in subscription_entitlements.hpp.
namespace billing {

/// The state of a subscription after its events. The state consists of the last event that contains the
/// subscription, the items of earlier events that are missing from that event, and the last paid invoice.
struct Subscription {
    struct Removed {
        core::UserId user_id;
        SubscriptionItem item;
        std::string type;                         ///< type of the first event without the item
        EventOrder order;                         ///< position of this event
        core::Time received_at = set_by_database; ///< when this event arrived; not stored

        friend bool operator==(Removed const& a, Removed const& b)
        {
            return a.user_id == b.user_id && a.item == b.item && a.type == b.type && a.order == b.order;
        }
    };

    struct Paid {
        EventOrder order;
        std::vector<InvoiceLine> lines;
        core::Time received_at = set_by_database; ///< not stored

        friend bool operator==(Paid const& a, Paid const& b)
        {
            return a.order == b.order && a.lines == b.lines;
        }
    };

    std::string id;
    core::UserId user_id;
    PaymentEventType type{};
    EventOrder order; ///< of the last event that contains the subscription
    SubscriptionStatus status{};
    bool cancels_at_period_end = false;
    std::optional<core::Time> ended_at;
    std::vector<SubscriptionItem> items;
    std::vector<Removed> removed;
    std::optional<Paid> paid;
    core::Time received_at = set_by_database; ///< when the event at `order` arrived; not stored
    std::int64_t revision = 0;                ///< incremented by each write; 0: not written yet
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
bool apply_invoice(Subscription& subscription, InvoiceEvent const& invoice);

/// The subscription that results from its events, which may have any order. nullopt if no event contains the
/// subscription.
std::optional<Subscription> fold_subscription(
    std::span<SubscriptionEvent const> events, std::span<InvoiceEvent const> invoices);

/// The effect of an event on a subscription.
struct PaymentDecision {
    enum class Kind : std::uint8_t {
        applies,
        stale,               ///< an invoice that is older than the stored state
        ended,               ///< an invoice for a subscription that has ended
        awaits_subscription, ///< an invoice whose subscription has no stored state
        needs_history,       ///< call fold_subscription() with all events of the subscription
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
Subscription merge(std::optional<Subscription> const& before, Subscription folded);

} // namespace billing
