#include "domain/subscription_entitlements.hpp"

#include <algorithm>
#include <map>
#include <optional>
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
    EventOrder const* order = nullptr;
    core::Time received_at;
};

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

Part part_of(Subscription const& s, SubscriptionItem const& item, PaymentSettings const& settings)
{
    Part part{.item = &item, .type = to_string(s.type), .order = &s.order, .received_at = s.received_at};
    if (is_final(s.status)) {
        part.status = Status::expired;
        part.ends = s.ended_at.value_or(s.order.at);
        return part;
    }
    part.renews = !s.cancels_at_period_end;
    part.status = status_of(s.status, settings);
    part.ends = item.ends;
    if (is_paid_since(s)) {
        part.status = Status::active;
        part.ends = paid_until(item, s.paid->lines);
        part.type = to_string(PaymentEventType::invoice_paid);
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
    core::UserId const& user_id, std::span<Subscription const> subscriptions, PaymentSettings const& settings)
{
    std::map<std::string_view, std::vector<Part>> parts;
    for (auto const& s : subscriptions) {
        if (s.user_id == user_id)
            for (auto const& item : s.items)
                parts[item.product].push_back(part_of(s, item, settings));
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

Entitlement entitlement_of(
    core::ScopeId scope_id, core::UserId const& user_id, std::vector<Part> const& parts)
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

Status status_of(SubscriptionStatus status, PaymentSettings const& settings) noexcept
{
    switch (status) {
    case SubscriptionStatus::trialing:
    case SubscriptionStatus::active:
        return Status::active;
    case SubscriptionStatus::paused:
        return Status::paused;
    case SubscriptionStatus::past_due:
        return settings.past_due_is_active ? Status::active : Status::expired;
    case SubscriptionStatus::unpaid:
    case SubscriptionStatus::canceled:
    case SubscriptionStatus::incomplete:
    case SubscriptionStatus::incomplete_expired:
        break;
    }
    return Status::expired;
}

std::vector<Entitlement> entitlements_of(core::ScopeId scope_id, core::UserId const& user_id,
    std::span<Subscription const> subscriptions, PaymentSettings const& settings)
{
    std::vector<Entitlement> entitlements;
    for (auto const& [product, parts] : parts_of(user_id, subscriptions, settings))
        entitlements.push_back(entitlement_of(scope_id, user_id, parts));
    return entitlements;
}

std::vector<Entitlement> changes_to(std::span<Entitlement const> stored, std::vector<Entitlement> wanted)
{
    std::vector<Entitlement> changes;
    for (auto& want : wanted) {
        auto const it = std::ranges::find(stored, want.id, &Entitlement::id);
        if (it != stored.end()) {
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
