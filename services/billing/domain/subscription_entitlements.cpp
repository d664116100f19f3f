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
    Subscription const* subscription = nullptr;
    Status status{};
    std::optional<core::Time> starts, ends; ///< the current period
    Access access;
    bool is_cancelled = false; ///< the subscription is going to end at the end of the period, or before
    bool is_trial = false;
    bool is_current = true; ///< false: the item was removed, or the subscription moved to another user
    std::string_view type;  ///< type of the event that decided this contribution
    EventOrder const* order = nullptr;
    core::Time received_at = core::Time::min();

    /// An event decided this contribution, if it is later than those before.
    void decided_by(std::string_view by, EventOrder const& at, core::Time received)
    {
        if (order != nullptr && at < *order) return;
        type = by;
        order = &at;
        received_at = received;
    }
};

/// Whether a paid invoice makes the subscription active again, with regard to an item.
bool makes_active(Subscription const& s, Subscription::Paid const& paid, SubscriptionItem const& item,
    InvoiceLine const& line)
{
    bool const awaits_payment = s.status == SubscriptionStatus::past_due ||
                                s.status == SubscriptionStatus::unpaid ||
                                s.status == SubscriptionStatus::incomplete;
    if (!awaits_payment) return false;
    auto const& latest = s.terms.latest_invoice;
    if (latest.empty() && s.status != SubscriptionStatus::incomplete) return false;
    return latest.empty() || paid.invoice_id.empty() ? !item.ends || line.ends >= *item.ends
                                                     : paid.invoice_id == latest;
}

/// Applies the invoices that were paid since the subscription's last event.
void apply_paid(Part& part, Subscription const& s)
{
    for (auto const& paid : s.paid) {
        auto const line = std::ranges::find(paid.lines, part.item->product, &InvoiceLine::product);
        if (line == paid.lines.end()) continue;
        bool const is_awaited = part.status != Status::active && makes_active(s, paid, *part.item, *line);
        bool const lengthens = part.status == Status::active && part.ends && line->ends > *part.ends;
        if (is_awaited || lengthens) {
            part.status = Status::active;
            part.starts = line->starts ? line->starts : part.starts;
            part.ends = line->ends;
        }
        if (part.status == Status::active)
            part.decided_by(to_string(PaymentEventType::invoice_paid), paid.order, paid.received_at);
    }
}

/// Whether a payment that was taken back was for a period before the current one. The current period may have
/// begun before that period was over, because a change of the plan can begin a new period.
bool is_for_earlier_period(Subscription::Reversal const& reversal, Part const& part)
{
    if (!part.starts) return false;
    if (!reversal.covers_until) return *part.starts > reversal.order.at;
    if (*reversal.covers_until <= *part.starts) return true;
    bool const ended_before = !part.ends || *reversal.covers_until < *part.ends;
    return ended_before && reversal.covers_from && *reversal.covers_from < *part.starts;
}

/// Ends access by the payments that were taken back, unless they were for an earlier period.
void apply_reversals(Part& part, Subscription const& s)
{
    for (auto const& reversal : s.reversals) {
        if (is_for_earlier_period(reversal, part)) continue;
        part.access = ended(part.access, reversal.order.at);
        part.decided_by(reversal.type, reversal.order, reversal.received_at);
    }
}

Access access_of(Part const& part, Subscription const& s)
{
    Access access;
    if (part.ends) access.until = *part.ends;
    if (is_final(s.status)) {
        if (!part.is_cancelled) access.renewal_until = part.ends;
        return ended(access, s.terms.ended_at.value_or(s.order.at));
    }
    if (part.status == Status::active) {
        if (!part.is_cancelled) access.renewal_until = part.ends;
        return access;
    }
    auto const period_end = access.until;
    access = ended(access, s.order.at);
    if (part.status == Status::past_due) access.past_due_until = period_end;
    return access;
}

Part part_of(Subscription const& s, SubscriptionItem const& item)
{
    Part part{.item = &item, .subscription = &s, .status = status_of(s.status), .access = {}};
    part.decided_by(to_string(s.type), s.order, s.received_at);
    part.starts = item.starts;
    part.ends = item.ends;
    part.is_trial = s.status == SubscriptionStatus::trialing;
    if (!is_final(s.status)) apply_paid(part, s);
    bool const ends_early = s.terms.cancel_at && (!part.ends || *s.terms.cancel_at <= *part.ends);
    part.is_cancelled = s.terms.cancels_at_period_end || ends_early;
    if (ends_early) part.ends = s.terms.cancel_at;
    part.access = access_of(part, s);
    apply_reversals(part, s);
    if (is_final(s.status)) part.ends = s.terms.ended_at.value_or(s.order.at);
    return part;
}

Part part_of(Subscription const& s, Subscription::Removed const& removed)
{
    Part part{.item = &removed.item, .subscription = &s, .status = Status::expired, .access = {}};
    part.decided_by(removed.type, removed.order, removed.received_at);
    part.access = ended(part.access, removed.order.at);
    part.is_current = false;
    part.ends = removed.order.at;
    return part;
}

/// The contributions of a user's subscriptions, by product.
std::map<std::string_view, std::vector<Part>> parts_of(
    core::UserId const& user_id, std::span<Subscription const> subscriptions)
{
    std::map<std::string_view, std::vector<Part>> parts;
    for (auto const& s : subscriptions) {
        if (s.user_id == user_id)
            for (auto const& item : s.items)
                parts[item.product].push_back(part_of(s, item));
        for (auto const& removed : s.removed)
            if (removed.user_id == user_id) parts[removed.item.product].push_back(part_of(s, removed));
    }
    return parts;
}

/// Whether `b` is better than `a` (see `entitlements_of`). With equal ends, the later event is better.
bool is_better(Part const& a, Part const& b)
{
    auto const worth = [](Part const& p) {
        int const status = p.status == Status::active     ? 3
                           : p.status == Status::paused   ? 2
                           : p.status == Status::past_due ? 1
                                                          : 0;
        return std::tuple(
            status, end_of(p.access, {.past_due_is_active = true}), p.ends.value_or(core::Time::max()));
    };
    auto const of_a = worth(a), of_b = worth(b);
    return of_a != of_b ? of_a < of_b : *a.order < *b.order;
}

void set_terms(Entitlement& e, Part const& best)
{
    auto const& s = *best.subscription;
    e.provider_product_id = best.item->product;
    e.alternative_product_id = best.item->alternative;
    e.status = best.status;
    e.purchased_at = best.item->since;
    e.expires_at = best.ends;
    e.will_renew = best.is_current && !best.is_cancelled && !is_final(s.status);
    e.period_type = best.is_trial ? PeriodType::trial : PeriodType::normal;
    if (best.is_trial) e.trial_ends_at = s.terms.trial_ends_at ? s.terms.trial_ends_at : best.ends;
    e.store = stripe_store;
    e.quantity = best.item->quantity;
    e.price = best.item->price;
    e.monthly_amount = best.item->monthly_amount;
    e.cancel_reason = s.terms.cancel_reason;
    e.last_transaction_id = s.id;
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
    set_terms(e, best);
    e.id = entitlement_id(scope_id, e.source, user_id, e.provider_product_id);
    e.access = best.access;
    e.last_event_type = last.type;
    e.last = *last.order;
    for (auto const& part : parts) {
        e.access = combined(e.access, part.access);
        e.created_at = std::min(e.created_at, part.item->received_at);
    }
    e.updated_at =
        e.created_at == set_by_database ? last.received_at : std::max(e.created_at, last.received_at);
    return e;
}

} // namespace

Status status_of(SubscriptionStatus status) noexcept
{
    switch (status) {
    case SubscriptionStatus::trialing:
    case SubscriptionStatus::active:
        return Status::active;
    case SubscriptionStatus::paused:
        return Status::paused;
    case SubscriptionStatus::past_due:
        return Status::past_due;
    case SubscriptionStatus::unpaid:
    case SubscriptionStatus::canceled:
    case SubscriptionStatus::incomplete:
    case SubscriptionStatus::incomplete_expired:
        break;
    }
    return Status::expired;
}

std::vector<Entitlement> entitlements_of(
    core::ScopeId scope_id, core::UserId const& user_id, std::span<Subscription const> subscriptions)
{
    std::vector<Entitlement> entitlements;
    for (auto const& [product, parts] : parts_of(user_id, subscriptions))
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
