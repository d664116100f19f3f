#include "histories/reference_subscription_events.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace histories::model {

namespace {

/// A subscription after all events that contain it.
struct State {
    std::string id;
    SubscriptionEvent last;
    std::vector<SubscriptionItem> items; ///< of the last event, and those that incomplete lists left out
    /// By former user and price: the first event without the item, if the item has not come back.
    std::map<std::pair<std::string, std::string>, SubscriptionEvent> removed;
};

bool has(std::vector<SubscriptionItem> const& items, std::string const& price)
{
    return std::ranges::any_of(items, [&](SubscriptionItem const& item) { return item.price == price; });
}

State walk(std::string const& id, std::vector<SubscriptionEvent> const& events)
{
    State state{.id = id};
    for (auto const& event : events) {
        auto items = event.items;
        if (event.has_more_items) // items that the list leaves out stay, also with a new user
            for (auto const& item : state.items)
                if (!has(items, item.price)) items.push_back(item);
        for (auto const& item : state.items) {
            bool const stays = event.user == state.last.user && has(items, item.price);
            if (!stays) state.removed[{state.last.user, item.price}] = event;
        }
        for (auto const& item : items)
            state.removed.erase({event.user, item.price});
        state.items = std::move(items);
        state.last = event;
    }
    return state;
}

/// The part of an item that was removed or whose subscription moved to another user. Access ended then.
Part removed_part(std::string const& subscription, SubscriptionEvent const& event)
{
    auto const at = event.order.at;
    return {.status = "expired",
        .transaction = subscription,
        .expires_at = at,
        .until = at,
        .last = event.order,
        .last_type = event.type};
}

bool gives_access(std::string const& status)
{
    return status == "active" || status == "trialing";
}

/// Whether a payment makes the status active.
bool is_payable(std::string const& status)
{
    return status == "past_due" || status == "incomplete" || status == "unpaid";
}

/// The status of an item, its current period, and its last event, after the paid invoices.
struct PaidItem {
    SubscriptionItem item;
    std::string status;
    Order last;
    std::string last_type;
};

/// Applies the invoices that were paid after the last event, one after the other. An invoice counts as an
/// event of the items that its lines name if it is paid while the item is active or trialing, or makes it
/// active. It does not matter whether it lengthens the period.
PaidItem pay(State const& state, SubscriptionItem const& item, std::vector<InvoiceEvent> const& invoices)
{
    PaidItem paid{item, state.last.status, state.last.order, state.last.type};
    for (auto const& invoice : invoices) {
        if (std::pair(invoice.order.at, invoice.order.rank) <
            std::pair(state.last.order.at, state.last.order.rank))
            continue;
        auto const line = std::ranges::find(invoice.lines, item.price, &SubscriptionItem::price);
        if (line == invoice.lines.end()) continue;
        bool begins = line->ends > paid.item.ends;
        if (!gives_access(paid.status)) {
            auto const& latest = state.last.latest_invoice;
            bool const is_first = paid.status == "incomplete" && line->ends >= paid.item.ends;
            bool const is_latest = latest.empty() ? is_first : invoice.id == latest;
            if (!is_payable(paid.status) || !is_latest) continue;
            paid.status = "active";
            begins = true;
        }
        if (begins) paid.item = *line; // the line's period becomes the current one
        paid.last = invoice.order;
        paid.last_type = "invoice.paid";
    }
    return paid;
}

/// The part of an item of a user's subscription.
Part item_part(State const& state, PaidItem const& paid)
{
    auto const& last = state.last;
    bool const is_cancelled =
        last.cancels_at_period_end || (last.cancel_at && *last.cancel_at <= paid.item.ends);
    auto const ends = std::min(paid.item.ends, last.cancel_at.value_or(never));
    Part part{.status = "expired",
        .transaction = state.id,
        .until = ends,
        .last = paid.last,
        .last_type = paid.last_type};
    if (ends != never) part.expires_at = ends;
    if (is_final(paid.status)) {
        part.expires_at = part.ended_at = last.ended_at.value_or(last.order.at);
        if (!is_cancelled) part.renewal_until = ends;
        return part;
    }
    part.will_renew = !is_cancelled;
    if (gives_access(paid.status)) {
        part.status = "active";
        if (part.will_renew) part.renewal_until = part.expires_at;
        return part;
    }
    if (paid.status == "paused" || paid.status == "past_due") part.status = paid.status;
    // Without access since the last event, also if the status is older than that.
    part.ended_at = last.order.at;
    if (paid.status == "past_due") part.past_due_until = ends;
    return part;
}

/// The period that the reversed invoices of a subscription paid for: the latest times of their lines.
struct ReversedPeriod {
    std::optional<Time> begins, ends; ///< `ends` is nullopt: none of the invoices is of the subscription
};

ReversedPeriod reversed_period(Subscription const& subscription, Reversal const& reversal)
{
    ReversedPeriod period;
    for (auto const& invoice : subscription.invoices) {
        if (!reversal.references.contains(invoice.id)) continue;
        period.ends = std::max(period.ends.value_or(invoice.order.period_end), invoice.order.period_end);
        for (auto const& line : invoice.lines)
            if (line.begins) period.begins = std::max(period.begins.value_or(*line.begins), *line.begins);
    }
    return period;
}

/// Whether the reversed period is over when the item's current period begins, or began before that and ends
/// before the current one.
bool is_earlier(ReversedPeriod const& reversed, SubscriptionItem const& item)
{
    if (!item.begins) return false;
    return *reversed.ends <= *item.begins ||
           (reversed.begins && *reversed.begins < *item.begins && *reversed.ends < item.ends);
}

/// Ends the access to an item whose current period was paid by a reversed invoice, also if past due periods
/// give access. Status and period stay, and the subscription renews unless it is cancelled.
void reverse(Part& part, SubscriptionItem const& item, Subscription const& subscription,
    std::vector<Reversal> const& reversals)
{
    for (auto const& reversal : reversals) {
        auto const reversed = reversed_period(subscription, reversal);
        if (!reversed.ends || is_earlier(reversed, item)) continue;
        part.ended_at = std::min(part.ended_at.value_or(never), reversal.order.at);
        if (part.past_due_until) part.past_due_until = std::min(*part.past_due_until, reversal.order.at);
        if (reversal.order > part.last) {
            part.last = reversal.order;
            part.last_type = reversal.type;
        }
    }
}

} // namespace

std::vector<Parts> subscriptions_of(History const& history, std::string const& user)
{
    auto const events = payment_events(history);
    auto const reversals = reversals_in(events);
    std::map<std::string, std::vector<Part>> by_price;
    for (auto const& [id, subscription] : subscriptions_in(events)) {
        auto const state = walk(id, subscription.events);
        for (auto const& [key, event] : state.removed)
            if (key.first == user) by_price[key.second].push_back(removed_part(id, event));
        if (state.last.user != user) continue;
        for (auto const& item : state.items) {
            auto const paid = pay(state, item, subscription.invoices);
            auto part = item_part(state, paid);
            auto period = paid.item;
            period.ends = std::min(period.ends, state.last.cancel_at.value_or(never));
            reverse(part, period, subscription, reversals);
            by_price[item.price].push_back(std::move(part));
        }
    }
    std::vector<Parts> entitlements;
    entitlements.reserve(by_price.size());
    for (auto& [price, parts] : by_price)
        entitlements.push_back({"payments", price, std::move(parts)});
    return entitlements;
}

} // namespace histories::model
