#include "domain/subscription.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace billing {

namespace {

bool has(std::vector<SubscriptionItem> const& items, std::string const& product)
{
    return std::ranges::any_of(items, [&](SubscriptionItem const& item) { return item.product == product; });
}

/// When the first event that named a product for this user was received, according to `before`.
/// `set_by_database` if `before` does not state it.
core::Time first_received(Subscription const& before, core::UserId const& user_id, std::string const& product)
{
    core::Time first = set_by_database;
    if (before.user_id == user_id)
        for (auto const& item : before.items)
            if (item.product == product) first = std::min(first, item.received_at);
    for (auto const& removed : before.removed)
        if (removed.user_id == user_id && removed.item.product == product)
            first = std::min(first, removed.item.received_at);
    return first;
}

/// Adds the items of `before` that are missing from `items`, up to `max_subscription_items`. Keeps the order
/// by product.
void keep_unlisted(std::vector<SubscriptionItem>& items, std::vector<SubscriptionItem> const& before)
{
    for (auto const& item : before)
        if (!has(items, item.product) && items.size() < max_subscription_items) items.push_back(item);
    std::ranges::sort(items, {}, &SubscriptionItem::product);
}

/// How soon access ends in a status; a greater number is sooner.
int severity_of(SubscriptionStatus status) noexcept
{
    switch (status) {
    case SubscriptionStatus::active:
        return 0;
    case SubscriptionStatus::trialing:
        return 1;
    case SubscriptionStatus::past_due:
        return 2;
    case SubscriptionStatus::paused:
        return 3;
    case SubscriptionStatus::unpaid:
        return 4;
    case SubscriptionStatus::incomplete:
        return 5;
    case SubscriptionStatus::canceled:
    case SubscriptionStatus::incomplete_expired:
        break;
    }
    return 6;
}

/// Whether `b` changed the state that `a` left: all known previous values of `b` are values of `a`.
bool continues(SubscriptionEvent const& a, SubscriptionEvent const& b)
{
    return !b.previous.empty() && std::ranges::all_of(b.previous, [&](auto const& member) {
        auto const it = a.members.find(member.first);
        return member.second == (it == a.members.end() ? "null" : it->second);
    });
}

using Events = std::vector<SubscriptionEvent const*>;

/// Of more updates in one second, the contents are not compared, because that takes the cube of their number.
constexpr std::size_t max_updates_in_a_second = 30;

bool is_creation(SubscriptionEvent const* event)
{
    return event->type == PaymentEventType::subscription_created;
}

/// Whether `a` happened before `b` according to what they changed. Both are of the same second.
bool changed_before(SubscriptionEvent const& a, SubscriptionEvent const& b)
{
    return continues(a, b) && !continues(b, a);
}

/// Those of `events`, all of the same second, one of which happened first. `before`: the event before that
/// second; may be null.
Events candidates(Events const& events, SubscriptionEvent const* before)
{
    auto const those = [&](auto const& condition) {
        Events found;
        std::ranges::copy_if(events, std::back_inserter(found), condition);
        return found;
    };
    if (auto created = those(is_creation); !created.empty()) return created;
    auto next = those([&](auto const* event) { return before != nullptr && continues(*before, *event); });
    if (next.empty())
        next = those([&](auto const* event) {
            return std::ranges::none_of(
                events, [&](auto const* other) { return changed_before(*other, *event); });
        });
    return next.empty() ? events : next;
}

/// Appends the events of one second to `ordered`, in the order in which they happened.
void append_second(Events& ordered, Events events)
{
    auto const fallback = [](SubscriptionEvent const* event) {
        return std::tuple(severity_of(event->status), event->order);
    };
    if (events.size() > max_updates_in_a_second) {
        std::ranges::sort(events, {}, fallback);
        ordered.insert(ordered.end(), events.begin(), events.end());
        return;
    }
    while (!events.empty()) {
        auto const possible = candidates(events, ordered.empty() ? nullptr : ordered.back());
        auto const* next = *std::ranges::min_element(possible, {}, fallback);
        ordered.push_back(next);
        std::erase(events, next);
    }
}

/// The events in the order in which they happened.
Events in_order(std::span<SubscriptionEvent const> events)
{
    std::map<std::pair<core::Time, int>, Events> seconds;
    for (auto const& event : events)
        seconds[{event.order.at, event.order.rank}].push_back(&event);
    Events ordered;
    for (auto& [second, group] : seconds)
        append_second(ordered, std::move(group));
    return ordered;
}

void keep_latest(std::vector<Subscription::Removed>& removed)
{
    if (removed.size() <= max_removed) return;
    std::ranges::sort(removed, {},
        [](Subscription::Removed const& r) { return std::tie(r.order, r.user_id, r.item.product); });
    removed.erase(removed.begin(), removed.end() - static_cast<std::ptrdiff_t>(max_removed));
}

} // namespace

bool same_state(Subscription const& a, Subscription const& b)
{
    auto const state = [](Subscription const& s) {
        return std::tie(
            s.id, s.user_id, s.type, s.order, s.status, s.terms, s.items, s.removed, s.paid, s.reversals);
    };
    return state(a) == state(b);
}

Subscription after_event(std::optional<Subscription> const& before, SubscriptionEvent const& event)
{
    Subscription s{.id = event.subscription_id,
        .user_id = event.user_id,
        .type = event.type,
        .order = event.order,
        .status = event.status,
        .terms = event.terms,
        .items = event.items,
        .received_at = event.received_at};
    for (auto& item : s.items)
        item.received_at = event.received_at;
    if (!before) return s;
    s.reversals = before->reversals;
    for (auto const& paid : before->paid)
        if (paid.order > s.order) s.paid.push_back(paid);
    if (event.items_incomplete) keep_unlisted(s.items, before->items);
    s.revision = before->revision;
    for (auto& item : s.items)
        item.received_at = std::min(item.received_at, first_received(*before, s.user_id, item.product));
    auto const is_here = [&](core::UserId const& user_id, std::string const& product) {
        return user_id == s.user_id && has(s.items, product);
    };
    for (auto const& removed : before->removed)
        if (!is_here(removed.user_id, removed.item.product)) s.removed.push_back(removed);
    for (auto const& item : before->items) {
        if (is_here(before->user_id, item.product)) continue;
        // If the subscription belonged to another user in between, an older entry exists. The new entry
        // replaces it.
        std::erase_if(s.removed, [&](Subscription::Removed const& removed) {
            return removed.user_id == before->user_id && removed.item.product == item.product;
        });
        s.removed.push_back(
            {before->user_id, item, std::string(to_string(event.type)), event.order, event.received_at});
    }
    keep_latest(s.removed);
    return s;
}

bool apply_invoice(Subscription& subscription, InvoiceEvent const& invoice)
{
    auto& paid = subscription.paid;
    if (invoice.order < subscription.order) return false;
    auto const place = std::ranges::lower_bound(paid, invoice.order, {}, &Subscription::Paid::order);
    if (place != paid.end() && place->order == invoice.order) return false;
    auto lines = invoice.lines;
    if (lines.size() > max_paid_lines) lines.resize(max_paid_lines);
    paid.insert(place, {invoice.order, invoice.invoice_id, std::move(lines), invoice.received_at});
    if (paid.size() > max_paid) paid.erase(paid.begin());
    return true;
}

bool apply_reversal(Subscription& subscription, Subscription::Reversal const& reversal)
{
    auto& all = subscription.reversals;
    auto const place = std::ranges::lower_bound(all, reversal.order, {}, &Subscription::Reversal::order);
    bool const is_known = place != all.end() && place->order == reversal.order;
    if (is_known && *place == reversal) return false;
    if (is_known)
        *place = reversal;
    else
        all.insert(place, reversal);
    if (all.size() > max_reversals) all.erase(all.begin());
    return true;
}

std::optional<Subscription> fold_subscription(
    std::span<SubscriptionEvent const> events, std::span<InvoiceEvent const> invoices)
{
    std::optional<Subscription> folded;
    for (auto const* event : in_order(events))
        folded = after_event(folded, *event);
    if (folded)
        for (auto const& invoice : invoices)
            apply_invoice(*folded, invoice);
    return folded;
}

PaymentDecision decide(
    std::optional<Subscription> const& before, SubscriptionEvent const& event, bool has_history)
{
    using Kind = PaymentDecision::Kind;
    // The times of webhooks are whole seconds, so the history decides among updates of the same second.
    auto const instant = [](EventOrder const& order) { return std::tie(order.at, order.rank); };
    bool const is_next = before ? instant(event.order) > instant(before->order) : !has_history;
    if (!is_next) return {.kind = Kind::needs_history};
    return {.kind = Kind::applies, .after = after_event(before, event)};
}

PaymentDecision decide(std::optional<Subscription> const& before, InvoiceEvent const& invoice)
{
    using Kind = PaymentDecision::Kind;
    if (!before) return {.kind = Kind::awaits_subscription};
    Subscription after = *before;
    if (!apply_invoice(after, invoice)) return {.kind = Kind::stale};
    Kind const kind = is_final(after.status) ? Kind::ended : Kind::applies;
    return {.kind = kind, .after = std::move(after)};
}

Subscription merge(
    std::optional<Subscription> const& before, Subscription folded, std::set<std::string> const& event_ids)
{
    if (!before) return folded;
    Subscription s = before->order.at > folded.order.at ? *before : folded;
    s.revision = before->revision;
    for (Subscription const& other : {*before, folded}) {
        for (auto const& paid : other.paid)
            apply_invoice(s, {.order = paid.order,
                                 .invoice_id = paid.invoice_id,
                                 .subscription_id = s.id,
                                 .lines = paid.lines,
                                 .received_at = paid.received_at});
        for (auto const& reversal : other.reversals)
            apply_reversal(s, reversal);
    }
    for (auto const& removed : before->removed) {
        if (event_ids.contains(removed.order.event_id)) continue; // `folded` includes this event
        bool const is_known =
            (removed.user_id == s.user_id && has(s.items, removed.item.product)) ||
            std::ranges::any_of(s.removed, [&](Subscription::Removed const& other) {
                return other.user_id == removed.user_id && other.item.product == removed.item.product;
            });
        if (!is_known) s.removed.push_back(removed);
    }
    keep_latest(s.removed);
    return s;
}

} // namespace billing
