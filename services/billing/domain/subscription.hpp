#pragma once

#include "domain/payment_event.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

/// The rules for events of the payments provider: the state of a subscription after its events. The
/// entitlements that follow from this state are in subscription_entitlements.hpp.
namespace billing {

/// The state of a subscription after its events. The state consists of the last event that contains the
/// subscription, the items of earlier events that are missing from that event, the invoices that were paid
/// since, and the payments that were taken back.
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

    /// A paid invoice.
    struct Paid {
        EventOrder order;
        std::string invoice_id; ///< may be empty
        std::vector<InvoiceLine> lines;
        core::Time received_at = set_by_database; ///< not stored

        friend bool operator==(Paid const& a, Paid const& b)
        {
            return a.order == b.order && a.invoice_id == b.invoice_id && a.lines == b.lines;
        }
    };

    /// A payment that was taken back: a full refund, or a lost dispute.
    struct Reversal {
        std::string type;
        EventOrder order;
        /// The period that the payment was for, as in PaymentNode; nullopt: unknown.
        std::optional<core::Time> covers_from, covers_until;
        core::Time received_at; ///< when the event arrived

        friend bool operator==(Reversal const&, Reversal const&) = default;
    };

    std::string id;
    core::UserId user_id;
    PaymentEventType type{};
    EventOrder order; ///< of the last event that contains the subscription
    SubscriptionStatus status{};
    SubscriptionTerms terms;
    std::vector<SubscriptionItem> items;
    std::vector<Removed> removed;
    std::vector<Paid> paid;          ///< in ascending order; invoices older than `order` are left out
    std::vector<Reversal> reversals; ///< in ascending order
    core::Time received_at = set_by_database; ///< when the event at `order` arrived; not stored
    std::int64_t revision = 0;                ///< incremented by each write; 0: not written yet
    core::Time updated_at = set_by_database;  ///< time of the last write, by the database's clock
};

/// The maximum number of removed items that are stored; the latest ones are kept. The limit bounds the size
/// of the row. Normal plan changes remove far fewer items.
inline constexpr std::size_t max_removed = 200;

/// The maximum numbers of items of a subscription, and of lines of a paid invoice, that are stored. The
/// provider permits at most 20 items in a subscription.
inline constexpr std::size_t max_subscription_items = 100, max_paid_lines = 25;

/// The maximum numbers of paid invoices and of reversals that are stored; the latest ones are kept.
inline constexpr std::size_t max_paid = 20, max_reversals = 20;

/// Whether both have the same state. Ignores times of receipt and `revision`.
bool same_state(Subscription const& a, Subscription const& b);

/// The subscription after `event`, which contains it. Precondition: `event` is later than the events of
/// `before`.
Subscription after_event(std::optional<Subscription> const& before, SubscriptionEvent const& event);

/// Applies a paid invoice. Returns false and changes nothing if the invoice is known, or if it is older than
/// the last event that contains the subscription.
bool apply_invoice(Subscription& subscription, InvoiceEvent const& invoice);

/// Adds a reversal. Returns false and changes nothing if it is known.
bool apply_reversal(Subscription& subscription, Subscription::Reversal const& reversal);

/// The subscription that results from its events, which may have any order. nullopt if no event contains the
/// subscription.
///
/// The provider states times in whole seconds. Of several updates in one second, the first is:
///
/// 1. an update whose `previous_attributes` are the values before that second;
/// 2. otherwise, one that no other update happened before, because the other's values are its
///    `previous_attributes`;
/// 3. otherwise, any.
///
/// If several updates match, the first is the one whose status gives access longest, then the one with the
/// earlier period end, then the one with the smaller event id.
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
/// that are no longer in the archive. `event_ids`: of the events in the archive.
Subscription merge(
    std::optional<Subscription> const& before, Subscription folded, std::set<std::string> const& event_ids);

} // namespace billing
