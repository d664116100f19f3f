#include "ingest/apply_payment.hpp"

#include "domain/purchase_rules.hpp"
#include "domain/subscription_entitlements.hpp"
#include "ingest/apply_event.hpp"

#include <algorithm>
#include <utility>

namespace billing::ingest {

namespace {

using Changes = std::vector<EntitlementChange>;

/// The maximum number of invoices that waited for a subscription and may have been taken back.
constexpr std::size_t max_reversed_invoices = 50;

/// The subscription after the events of `history` and, unless it is null, `event`.
std::optional<Subscription> fold_history(
    std::span<Event const> history, std::string const& id, SubscriptionEvent const* event)
{
    std::vector<SubscriptionEvent> events;
    std::vector<InvoiceEvent> invoices;
    if (event != nullptr) events.push_back(*event);
    for (auto const& archived : history) {
        bool const is_event = event != nullptr && archived.id == event->order.event_id; // of a replay
        if (auto const* subscription = std::get_if<SubscriptionEvent>(&archived.data);
            subscription != nullptr && subscription->subscription_id == id && !is_event)
            events.push_back(*subscription);
        if (auto const* invoice = std::get_if<InvoiceEvent>(&archived.data);
            invoice != nullptr && invoice->subscription_id == id)
            invoices.push_back(*invoice);
    }
    return fold_subscription(events, invoices);
}

/// The ids of all events that decide the entitlements of a subscription.
std::set<std::string> ids_of(
    std::span<Event const> history, SubscriptionEvent const& event, std::optional<Subscription> const& before)
{
    std::set<std::string> ids{event.order.event_id};
    for (auto const& archived : history)
        ids.insert(archived.id);
    if (before)
        for (auto const& reversal : before->reversals)
            ids.insert(reversal.order.event_id);
    return ids;
}

Subscription::Reversal reversal_of(
    PaymentNode const& node, std::span<PaymentNode const> component, std::string const& subscription_id)
{
    Subscription::Reversal reversal{.type = std::string(to_string(node.reversal->type)),
        .order = node.reversal->order,
        .covers_from = std::nullopt,
        .covers_until = std::nullopt,
        .received_at = node.received_at};
    for (auto const& other : component) {
        if (other.subscription_id != subscription_id) continue;
        reversal.covers_from = std::max(reversal.covers_from, other.covers_from);
        reversal.covers_until = std::max(reversal.covers_until, other.covers_until);
    }
    return reversal;
}

} // namespace

AppliedEvent PaymentApplier::apply(SubscriptionEvent const& event)
{
    auto const before = rows_.subscription(event.subscription_id);
    if (before && decide(before, event, false).kind == PaymentDecision::Kind::applies)
        return {.outcome = {EventResult::applied, {}}, .changes = store(before, after_event(before, event))};
    auto const history = rows_.history_of_subscription(event.subscription_id);
    auto const event_ids = ids_of(history, event, before);
    auto after = merge(before, fold_history(history, event.subscription_id, &event).value(), event_ids);
    if (!before) add_reversals(after, history);
    rows_.mark_applied(event.subscription_id, event.user_id);
    AppliedEvent applied{.changes = store(before, after, event_ids)};
    bool const is_news = !before || !applied.changes.empty();
    applied.outcome.result = is_news ? EventResult::applied : EventResult::stale;
    applied.is_repeat = before && before->order == event.order;
    return applied;
}

AppliedEvent PaymentApplier::apply(InvoiceEvent const& event)
{
    auto const before = rows_.subscription(event.subscription_id);
    if (!before) return apply_to_unstored(event);
    bool const is_repeat =
        std::ranges::find(before->paid, event.order, &Subscription::Paid::order) != before->paid.end();
    auto decision = decide(before, event);
    return {.outcome = outcome_of(decision.kind),
        .changes = store(before, std::move(decision.after).value_or(*before)),
        .user_id = before->user_id,
        .is_repeat = is_repeat};
}

/// Applies an invoice whose subscription has no stored state. The archive may have events of the
/// subscription.
AppliedEvent PaymentApplier::apply_to_unstored(InvoiceEvent const& event)
{
    auto const history = rows_.history_of_subscription(event.subscription_id);
    auto folded = fold_history(history, event.subscription_id, nullptr);
    if (!folded) return {.outcome = outcome_of(PaymentDecision::Kind::awaits_subscription)};
    apply_invoice(*folded, event);
    add_reversals(*folded, history);
    AppliedEvent applied{.outcome = outcome_of(PaymentDecision::Kind::applies), .user_id = folded->user_id};
    applied.changes = store(std::nullopt, *std::move(folded));
    return applied;
}

std::vector<PaymentNode> PaymentApplier::connected_with(PaymentNode const& node)
{
    auto component = connected(node, [this](std::span<std::string const> ids) { return rows_.nodes(ids); });
    component.push_back(node);
    return component;
}

/// Adds the reversals of the payments in the subscription's history, for a limited number of invoices.
void PaymentApplier::add_reversals(Subscription& subscription, std::span<Event const> history)
{
    std::size_t invoices = 0;
    for (auto const& event : history) {
        auto const invoice = node_of(event);
        if (invoice.subscription_id != subscription.id || invoice.ids.empty()) continue;
        if (++invoices > max_reversed_invoices) break;
        auto const component = connected_with(invoice);
        for (auto const& node : component) {
            if (!node.reversal) continue;
            apply_reversal(subscription, reversal_of(node, component, subscription.id));
            rows_.mark_applied(node, subscription.user_id);
        }
    }
}

PaymentApplier::Reversed PaymentApplier::reverse(PaymentNode const& node)
{
    Reversed result;
    auto const component = connected_with(node);
    std::set<std::string> subscription_ids;
    std::set<core::Uuid> entitlement_ids;
    for (auto const& other : component) {
        if (other.subscription_id) subscription_ids.insert(*other.subscription_id);
        if (other.entitlement_id) entitlement_ids.insert(*other.entitlement_id);
    }
    auto const add = [&](core::UserId const& user, Changes changes) {
        result.user_id = user;
        std::ranges::move(changes, std::back_inserter(result.changes));
    };
    std::vector<PaymentNode> reversals;
    std::ranges::copy_if(
        component, std::back_inserter(reversals), [](auto const& n) { return n.reversal.has_value(); });
    if (reversals.empty()) return result;
    for (auto const& id : subscription_ids) {
        auto const before = rows_.subscription(id);
        if (!before) continue;
        auto after = *before;
        for (auto const& reversal : reversals)
            apply_reversal(after, reversal_of(reversal, component, id));
        add(before->user_id, store(before, after));
    }
    for (auto const& stored :
        rows_.entitlements(std::vector(entitlement_ids.begin(), entitlement_ids.end()))) {
        auto after = stored;
        for (auto const& reversal : reversals)
            after = joined(scope_id_, after, *reversal.reversal, reversal.received_at);
        Changes changes;
        if (after != stored) {
            rows_.write(after);
            changes.push_back({stored, std::move(after)});
        }
        add(stored.user_id, std::move(changes));
    }
    if (result.user_id)
        for (auto const& reversal : reversals)
            if (reversal.archive_id != node.archive_id) rows_.mark_applied(reversal, *result.user_id);
    return result;
}

/// Stores a subscription, and writes the entitlements of all its present and former users. `event_ids`: of
/// the events that were applied again, because they are in another order than when they were applied first.
Changes PaymentApplier::store(std::optional<Subscription> const& before, Subscription const& after,
    std::set<std::string> const& event_ids)
{
    if (!before || !same_state(*before, after)) rows_.write(after);
    std::set<core::UserId> users{after.user_id};
    if (before) users.insert(before->user_id);
    for (auto const& removed : after.removed)
        users.insert(removed.user_id);
    Changes changes;
    if (before)
        for (auto const& removed : before->removed)
            users.insert(removed.user_id);
    for (auto const& user : users)
        write_user(user, after, event_ids, changes);
    return changes;
}

/// Writes the entitlements of one user, and appends their changes. Removes an entitlement if only the former
/// order of the events gave it to the user.
void PaymentApplier::write_user(core::UserId const& user, Subscription const& after,
    std::set<std::string> const& event_ids, Changes& changes)
{
    auto known = rows_.subscriptions_of(user);
    std::erase_if(known, [&](Subscription const& s) { return s.id == after.id; });
    known.push_back(after);
    auto const stored = rows_.subscribed_entitlements(user);
    auto const all_wanted = entitlements_of(scope_id_, user, known);
    for (auto const& e : stored)
        if (event_ids.contains(e.last.event_id) &&
            std::ranges::find(all_wanted, e.id, &Entitlement::id) == all_wanted.end())
            rows_.remove(e.id);
    for (auto& wanted : changes_to(stored, all_wanted)) {
        auto const it = std::ranges::find(stored, wanted.id, &Entitlement::id);
        EntitlementChange change{it == stored.end() ? std::nullopt : std::optional(*it), std::move(wanted)};
        rows_.write(change.to);
        changes.push_back(std::move(change));
    }
}

} // namespace billing::ingest
