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

/// The rules of the card payment provider's events: interfaces.md, D2. Its events carry whole subscriptions,
/// of several items; what a user has follows from the last state of each.
namespace billing {

/// What the provider says of a subscription.
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

/// What a tenant decides about its payments.
struct PaymentRules {
    bool past_due_is_active = false;
};

/// The status that a subscription leaves its entitlements in.
Status status_of(PaymentStatus status, PaymentRules const& rules) noexcept;

/// Whether it never changes again.
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

/// Which of two events of one second is taken as the later. The provider's times are whole seconds, and what
/// happens at a checkout happens within one: made (`incomplete`), changed, paid, ended.
int rank_of(PaymentType type, PaymentStatus status) noexcept;

/// What is sold in an item of a subscription. An item without a price of its own takes the plan's.
struct SubscriptionItem {
    std::string product;     ///< the price
    std::string alternative; ///< the product that it is a price of; or empty
    std::optional<core::Time> since;
    std::optional<core::Time> ends;      ///< of the period that is paid for
    core::Time received_at = on_arrival; ///< when the first event that names it was; not kept

    friend bool operator==(SubscriptionItem const& a, SubscriptionItem const& b)
    {
        return a.product == b.product && a.alternative == b.alternative && a.since == b.since &&
               a.ends == b.ends;
    }
};

/// A whole subscription as an event carries it. Items are of different products, and sorted by them.
struct SubscriptionEvent {
    PaymentType type{};
    Order order;
    std::string subscription_id;
    std::string user_id; ///< `metadata.userId`
    PaymentStatus status{};
    bool cancels = false; ///< at the end of the period
    std::optional<core::Time> ended_at;
    std::vector<SubscriptionItem> items;
    core::Time received_at = on_arrival;
};

/// Until when an invoice pays for something; `product` empty: for every item.
struct InvoiceLine {
    std::string product;
    core::Time ends;

    friend bool operator==(InvoiceLine const&, InvoiceLine const&) = default;
};

/// An invoice of a subscription that was paid.
struct InvoiceEvent {
    Order order;
    std::string subscription_id;
    std::vector<InvoiceLine> lines;
    core::Time received_at = on_arrival;
};

/// A subscription as its events have left it: the last of those that carry it whole, what they had before and
/// have no longer, and the last paid invoice. Nothing else of them matters.
struct Subscription {
    struct Removed {
        std::string user_id;
        SubscriptionItem item;
        std::string type; ///< of the event that came without it
        Order order;
        core::Time received_at = on_arrival; ///< of that event; not kept

        friend bool operator==(Removed const& a, Removed const& b)
        {
            return a.user_id == b.user_id && a.item == b.item && a.type == b.type && a.order == b.order;
        }
    };

    struct Paid {
        Order order;
        std::vector<InvoiceLine> lines;
        core::Time received_at = on_arrival; ///< not kept

        friend bool operator==(Paid const& a, Paid const& b)
        {
            return a.order == b.order && a.lines == b.lines;
        }
    };

    std::string id;
    std::string user_id;
    PaymentType type{};
    Order order; ///< of the last event that carried it
    PaymentStatus status{};
    bool cancels = false;
    std::optional<core::Time> ended_at;
    std::vector<SubscriptionItem> items;
    std::vector<Removed> removed;
    std::optional<Paid> paid;
    core::Time received_at = on_arrival; ///< of that event; not kept
    std::int64_t revision = 0;           ///< counts the writes; 0: not written yet
};

/// Of so many items that a subscription no longer has it is remembered that it had them: of the latest. Who
/// changes plans does not come near it, and whoever sends such events does not make the row grow for ever.
inline constexpr std::size_t max_removed = 200;

/// Whether both were left so by their events, times of writing apart.
bool same_state(Subscription const& a, Subscription const& b);

/// The subscription after an event that carries it: `event` is later than all that it was carried by before.
Subscription after_event(std::optional<Subscription> const& before, SubscriptionEvent const& event);

/// What a paid invoice does: true when it says more than was known (it is kept), false when a later one was
/// paid before it.
bool pay(Subscription& subscription, InvoiceEvent const& invoice);

/// The subscription that a history of one leaves, whatever the order of its events. nullopt when none of them
/// carries it.
std::optional<Subscription> fold_subscription(
    std::span<SubscriptionEvent const> carried, std::span<InvoiceEvent const> invoices);

/// What an event does to a subscription.
struct PaymentDecision {
    enum class Kind : std::uint8_t {
        applies,
        stale,         ///< it is older than what is known
        ended,         ///< an invoice of a subscription that is over for good
        awaits,        ///< an invoice that came before its subscription
        needs_history, ///< fold_subscription() over all of its events decides
    };

    Kind kind{};
    std::optional<Subscription> after; ///< to be kept
};

/// `has_history`: events of a subscription that is not known have come already.
PaymentDecision decide(
    std::optional<Subscription> const& before, SubscriptionEvent const& event, bool has_history);
PaymentDecision decide(std::optional<Subscription> const& before, InvoiceEvent const& invoice);

/// A subscription that was folded anew, where it was kept as `before`: of events that are no longer there
/// only that remembers.
Subscription joined(std::optional<Subscription> const& before, Subscription folded);

/// The entitlements of a user that subscriptions leave, one for each product: of several items or
/// subscriptions with one product the best decides, active before paused before expired, then the one that
/// lasts longer. A product that an item was swapped from, or that was taken out, expired at the event that
/// came without it. Ordered by product.
std::vector<Entitlement> entitlements_of(std::int64_t scope_id, std::string const& user_id,
    std::span<Subscription const> subscriptions, PaymentRules const& rules);

/// Those of `wanted` that have to be written where there is `held`: with its revisions, and with its times
/// where the same event still decides.
std::vector<Entitlement> changes_to(std::span<Entitlement const> held, std::vector<Entitlement> wanted);

} // namespace billing
