#include "domain/subscription.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

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
        return std::tie(s.id, s.user_id, s.type, s.order, s.status, s.cancels_at_period_end, s.ended_at,
            s.items, s.removed, s.paid);
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
        .cancels_at_period_end = event.cancels_at_period_end,
        .ended_at = event.ended_at,
        .items = event.items,
        .received_at = event.received_at};
    for (auto& item : s.items)
        item.received_at = event.received_at;
    if (!before) return s;
    s.paid = before->paid;
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
    if (subscription.paid && subscription.paid->order >= invoice.order) return false;
    subscription.paid = Subscription::Paid{invoice.order, invoice.lines, invoice.received_at};
    return true;
}

std::optional<Subscription> fold_subscription(
    std::span<SubscriptionEvent const> events, std::span<InvoiceEvent const> invoices)
{
    std::vector<SubscriptionEvent const*> ordered;
    for (auto const& event : events)
        ordered.push_back(&event);
    std::ranges::sort(ordered, {}, [](SubscriptionEvent const* event) { return event->order; });
    std::optional<Subscription> folded;
    for (auto const* event : ordered)
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
    bool const is_next = before ? event.order > before->order : !has_history;
    if (!is_next) return {.kind = Kind::needs_history};
    return {.kind = Kind::applies, .after = after_event(before, event)};
}

PaymentDecision decide(std::optional<Subscription> const& before, InvoiceEvent const& invoice)
{
    using Kind = PaymentDecision::Kind;
    if (!before) return {.kind = Kind::awaits_subscription};
    Subscription after = *before;
    if (!apply_invoice(after, invoice) || invoice.order < before->order) return {.kind = Kind::stale};
    Kind const kind = is_final(after.status) ? Kind::ended : Kind::applies;
    return {.kind = kind, .after = std::move(after)};
}

Subscription merge(std::optional<Subscription> const& before, Subscription folded)
{
    if (!before) return folded;
    Subscription s = before->order > folded.order ? *before : folded;
    s.revision = before->revision;
    for (auto const& paid : {before->paid, folded.paid})
        if (paid && (!s.paid || paid->order > s.paid->order)) s.paid = paid;
    for (auto const& removed : before->removed) {
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
