#include "domain/subscription.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>

namespace billing {

namespace {

/// An item's contribution to the entitlement of its product.
struct Part {
    SubscriptionItem const* item = nullptr;
    Status status{};
    std::optional<core::Time> ends;
    bool renews = false;
    std::string_view type; ///< type of the event that decided this contribution
    Order const* order = nullptr;
    core::Time received_at;
};

bool has(std::vector<SubscriptionItem> const& items, std::string const& product)
{
    return std::ranges::any_of(items, [&](SubscriptionItem const& item) { return item.product == product; });
}

/// When the first event that named a product for this user was received, according to `before`. `on_arrival`
/// if `before` does not state it.
core::Time first_received(Subscription const& before, std::string const& user_id, std::string const& product)
{
    core::Time first = on_arrival;
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

/// Whether the last paid invoice is later than the last event that contains the subscription.
bool is_paid_since(Subscription const& s)
{
    return !is_final(s.status) && s.paid && s.paid->order > s.order;
}

/// The end of the period that `lines` pay for, or the item's end if the item's end is later. The item's end
/// is later if the invoice was paid late, for an earlier period.
std::optional<core::Time> paid_until(SubscriptionItem const& item, std::vector<InvoiceLine> const& lines)
{
    auto ends = item.ends;
    for (auto const& line : lines)
        if (line.product.empty() || line.product == item.product)
            ends = std::max(ends.value_or(line.ends), line.ends);
    return ends;
}

Part part_of(Subscription const& s, SubscriptionItem const& item, PaymentRules const& rules)
{
    Part part{.item = &item, .type = to_string(s.type), .order = &s.order, .received_at = s.received_at};
    if (is_final(s.status)) {
        part.status = Status::expired;
        part.ends = s.ended_at.value_or(s.order.at);
        return part;
    }
    part.renews = !s.cancels;
    part.status = status_of(s.status, rules);
    part.ends = item.ends;
    if (is_paid_since(s)) {
        part.status = Status::active;
        part.ends = paid_until(item, s.paid->lines);
        part.type = to_string(PaymentType::invoice_paid);
        part.order = &s.paid->order;
        part.received_at = s.paid->received_at;
    }
    return part;
}

Part part_of(Subscription::Removed const& removed)
{
    return {.item = &removed.item,
        .status = Status::expired,
        .ends = removed.order.at,
        .type = removed.type,
        .order = &removed.order,
        .received_at = removed.received_at};
}

/// The contributions of a user's subscriptions, by product.
std::map<std::string_view, std::vector<Part>> parts_of(
    std::string const& user_id, std::span<Subscription const> subscriptions, PaymentRules const& rules)
{
    std::map<std::string_view, std::vector<Part>> parts;
    for (auto const& s : subscriptions) {
        if (s.user_id == user_id)
            for (auto const& item : s.items)
                parts[item.product].push_back(part_of(s, item, rules));
        for (auto const& removed : s.removed)
            if (removed.user_id == user_id) parts[removed.item.product].push_back(part_of(removed));
    }
    return parts;
}

/// Whether `b` is better than `a` (see `entitlements_of`). With equal ends, the later event is better.
bool is_better(Part const& a, Part const& b)
{
    auto const worth = [](Part const& p) {
        int const status = p.status == Status::active ? 2 : p.status == Status::paused ? 1 : 0;
        return std::tuple(status, p.ends.value_or(core::Time::max()));
    };
    auto const of_a = worth(a), of_b = worth(b);
    return of_a != of_b ? of_a < of_b : *a.order < *b.order;
}

Entitlement entitlement_of(std::int64_t scope_id, std::string const& user_id, std::vector<Part> const& parts)
{
    Part const& best = *std::ranges::max_element(parts, is_better);
    Part const& last =
        *std::ranges::max_element(parts, [](Part const& a, Part const& b) { return *a.order < *b.order; });
    Entitlement e;
    e.user_id = user_id;
    e.source = Source::payments;
    e.provider_product_id = best.item->product;
    e.alternative_product_id = best.item->alternative;
    e.id = entitlement_id(scope_id, e.source, user_id, e.provider_product_id);
    e.status = best.status;
    e.purchased_at = best.item->since;
    e.expires_at = best.ends;
    e.will_renew = best.renews;
    e.last_event_type = last.type;
    e.last = *last.order;
    for (auto const& part : parts)
        e.created_at = std::min(e.created_at, part.item->received_at);
    e.updated_at = std::max(e.created_at, last.received_at);
    return e;
}

} // namespace

Status status_of(PaymentStatus status, PaymentRules const& rules) noexcept
{
    switch (status) {
    case PaymentStatus::trialing:
    case PaymentStatus::active:
        return Status::active;
    case PaymentStatus::paused:
        return Status::paused;
    case PaymentStatus::past_due:
        return rules.past_due_is_active ? Status::active : Status::expired;
    case PaymentStatus::unpaid:
    case PaymentStatus::canceled:
    case PaymentStatus::incomplete:
    case PaymentStatus::incomplete_expired:
        break;
    }
    return Status::expired;
}

int rank_of(PaymentType type, PaymentStatus status) noexcept
{
    if (type == PaymentType::invoice_paid) return 2;
    if (type == PaymentType::subscription_deleted || is_final(status)) return 3;
    return type == PaymentType::subscription_created || status == PaymentStatus::incomplete ? 0 : 1;
}

bool same_state(Subscription const& a, Subscription const& b)
{
    auto const state = [](Subscription const& s) {
        return std::tie(
            s.id, s.user_id, s.type, s.order, s.status, s.cancels, s.ended_at, s.items, s.removed, s.paid);
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
        .cancels = event.cancels,
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
    auto const is_here = [&](std::string const& user_id, std::string const& product) {
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

bool pay(Subscription& subscription, InvoiceEvent const& invoice)
{
    if (subscription.paid && subscription.paid->order >= invoice.order) return false;
    subscription.paid = Subscription::Paid{invoice.order, invoice.lines, invoice.received_at};
    return true;
}

std::optional<Subscription> fold_subscription(
    std::span<SubscriptionEvent const> carried, std::span<InvoiceEvent const> invoices)
{
    std::vector<SubscriptionEvent const*> ordered;
    for (auto const& event : carried)
        ordered.push_back(&event);
    std::ranges::sort(ordered, {}, [](SubscriptionEvent const* event) { return event->order; });
    std::optional<Subscription> folded;
    for (auto const* event : ordered)
        folded = after_event(folded, *event);
    if (folded)
        for (auto const& invoice : invoices)
            pay(*folded, invoice);
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
    if (!before) return {.kind = Kind::awaits};
    Subscription after = *before;
    if (!pay(after, invoice) || invoice.order < before->order) return {.kind = Kind::stale};
    Kind const kind = is_final(after.status) ? Kind::ended : Kind::applies;
    return {.kind = kind, .after = std::move(after)};
}

Subscription joined(std::optional<Subscription> const& before, Subscription folded)
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

std::vector<Entitlement> entitlements_of(std::int64_t scope_id, std::string const& user_id,
    std::span<Subscription const> subscriptions, PaymentRules const& rules)
{
    std::vector<Entitlement> entitlements;
    for (auto const& [product, parts] : parts_of(user_id, subscriptions, rules))
        entitlements.push_back(entitlement_of(scope_id, user_id, parts));
    return entitlements;
}

std::vector<Entitlement> changes_to(std::span<Entitlement const> held, std::vector<Entitlement> wanted)
{
    std::vector<Entitlement> changes;
    for (auto& want : wanted) {
        auto const it = std::ranges::find(held, want.id, &Entitlement::id);
        if (it != held.end()) {
            want.revision = it->revision;
            want.created_at = std::min(want.created_at, it->created_at);
            if (want.last == it->last) want.updated_at = it->updated_at;
            want.updated_at = std::max(want.updated_at, want.created_at);
            if (want == *it) continue;
        }
        changes.push_back(std::move(want));
    }
    return changes;
}

} // namespace billing
