#include "ingest/apply_event.hpp"

#include "domain/purchase_rules.hpp"
#include "storage/entitlements.hpp"
#include "storage/event_archive.hpp"
#include "storage/subscriptions.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>
#include <variant>

namespace billing::ingest {

namespace {

/// Applies one event to the rows of its scope. The caller holds the scope's lock.
class EventApplier {
public:
    EventApplier(pg::Tx& tx, core::ScopeId scope_id, PaymentSettings const& settings)
        : tx_(tx), scope_id_(scope_id), settings_(settings)
    {
    }

    AppliedEvent operator()(Skipped const& skipped) const
    {
        return {.outcome = {EventResult::skipped, std::string(skipped.reason)}};
    }

    AppliedEvent operator()(PurchaseEvent const& event)
    {
        auto const ids = affected_entitlement_ids(event, scope_id_);
        StoredPurchases stored;
        for (auto& entitlement : entitlements::by_ids(tx_, scope_id_, ids))
            (entitlement.id == ids[0] ? stored.subscription : stored.consumable) = std::move(entitlement);
        auto decision = decide(event, scope_id_, stored);
        if (decision.needs_history) return reapply_history(event, *stored.subscription);
        AppliedEvent applied{.outcome = outcome_of(decision), .is_repeat = decision.is_repeat};
        auto& before = stored.consumable ? stored.consumable : stored.subscription;
        if (decision.write) applied.changes.push_back(write(std::move(before), *std::move(decision.write)));
        return applied;
    }

    AppliedEvent operator()(SubscriptionEvent const& event)
    {
        auto const before = subscriptions::find(tx_, scope_id_, event.subscription_id);
        if (before && decide(before, event, false).kind == PaymentDecision::Kind::applies)
            return {
                .outcome = {EventResult::applied, {}}, .changes = store(before, after_event(before, event))};
        auto const history = event_archive::history_of_subscription(tx_, scope_id_, event.subscription_id);
        auto folded = fold_history(history, event.subscription_id, &event);
        event_archive::mark_applied(tx_, scope_id_, event.subscription_id, event.user_id);
        AppliedEvent applied{.changes = store(before, merge(before, *std::move(folded)))};
        bool const is_news = !before || !applied.changes.empty();
        applied.outcome.result = is_news ? EventResult::applied : EventResult::stale;
        applied.is_repeat = before && before->order == event.order;
        return applied;
    }

    AppliedEvent operator()(InvoiceEvent const& event)
    {
        auto const before = subscriptions::find(tx_, scope_id_, event.subscription_id);
        if (!before) return apply_to_unstored(event);
        auto decision = decide(before, event);
        return {.outcome = outcome_of(decision.kind),
            .changes = store(before, std::move(decision.after).value_or(*before)),
            .user_id = before->user_id,
            .is_repeat = before->paid && before->paid->order == event.order};
    }

private:
    EntitlementChange write(std::optional<Entitlement> from, Entitlement to)
    {
        entitlements::upsert(tx_, scope_id_, to);
        return {std::move(from), std::move(to)};
    }

    /// Handles an event which shows that the product is a consumable, although earlier events were applied as
    /// events of a subscription.
    AppliedEvent reapply_history(PurchaseEvent const& event, Entitlement const& subscription)
    {
        std::vector<PurchaseEvent> events{event};
        for (auto& archived : event_archive::history_of_user(tx_, scope_id_, event.user_id))
            if (auto* purchase = std::get_if<PurchaseEvent>(&archived.data);
                purchase != nullptr && purchase->product == event.product)
                events.push_back(std::move(*purchase));
        auto const folded = fold_purchases(scope_id_, events);
        // The event that decided the subscription may now belong to the consumable.
        bool const moved = std::ranges::any_of(folded, [&](Entitlement const& e) {
            return !e.transaction_id.empty() && e.transaction_id == subscription.last_transaction_id;
        });
        if (moved && std::ranges::find(folded, subscription.id, &Entitlement::id) == folded.end())
            entitlements::remove(tx_, scope_id_, subscription.id);
        AppliedEvent applied;
        for (auto const& wanted : folded)
            if (auto change = replace(wanted, moved)) applied.changes.push_back(*std::move(change));
        bool const decides = std::ranges::any_of(
            applied.changes, [&](EntitlementChange const& change) { return change.to.last == event.order; });
        applied.outcome.result = decides ? EventResult::applied : EventResult::stale;
        return applied;
    }

    /// Writes an entitlement that fold_purchases() returned, unless a later event decided the stored row.
    /// `moved`: the event that decided the stored subscription belongs to a consumable, so the subscription's
    /// row is replaced in any case.
    std::optional<EntitlementChange> replace(Entitlement wanted, bool moved)
    {
        auto const ids = std::array{wanted.id};
        auto rows = entitlements::by_ids(tx_, scope_id_, ids);
        if (rows.empty()) return write(std::nullopt, std::move(wanted));
        auto& stored = rows.front();
        bool const is_mistaken = moved && wanted.transaction_id.empty();
        bool const is_same = stored.last == wanted.last && stored.created_at == wanted.created_at;
        if ((is_same || stored.last > wanted.last) && !is_mistaken) return std::nullopt;
        return write(std::move(stored), std::move(wanted));
    }

    /// The subscription after the events of `history` and, unless it is null, `event`.
    static std::optional<Subscription> fold_history(
        std::span<Event const> history, std::string const& id, SubscriptionEvent const* event)
    {
        std::vector<SubscriptionEvent> events;
        std::vector<InvoiceEvent> invoices;
        if (event != nullptr) events.push_back(*event);
        for (auto const& archived : history) {
            if (auto const* subscription = std::get_if<SubscriptionEvent>(&archived.data);
                subscription != nullptr && subscription->subscription_id == id)
                events.push_back(*subscription);
            if (auto const* invoice = std::get_if<InvoiceEvent>(&archived.data);
                invoice != nullptr && invoice->subscription_id == id)
                invoices.push_back(*invoice);
        }
        return fold_subscription(events, invoices);
    }

    /// Applies an invoice whose subscription has no stored state. The archive may have events of the
    /// subscription.
    AppliedEvent apply_to_unstored(InvoiceEvent const& event)
    {
        auto const history = event_archive::history_of_subscription(tx_, scope_id_, event.subscription_id);
        auto folded = fold_history(history, event.subscription_id, nullptr);
        if (!folded) return {.outcome = outcome_of(PaymentDecision::Kind::awaits_subscription)};
        apply_invoice(*folded, event);
        AppliedEvent applied{
            .outcome = outcome_of(PaymentDecision::Kind::applies), .user_id = folded->user_id};
        applied.changes = store(std::nullopt, *std::move(folded));
        return applied;
    }

    /// Stores a subscription, and writes the entitlements of all its present and former users.
    std::vector<EntitlementChange> store(std::optional<Subscription> const& before, Subscription after)
    {
        if (!before || !same_state(*before, after)) subscriptions::upsert(tx_, scope_id_, after);
        std::set<core::UserId> users{after.user_id};
        if (before) users.insert(before->user_id);
        for (auto const& removed : after.removed)
            users.insert(removed.user_id);
        std::vector<EntitlementChange> changes;
        for (auto const& user : users)
            write_user(user, after, changes);
        return changes;
    }

    /// Writes the entitlements of one user, and appends their changes.
    void write_user(
        core::UserId const& user, Subscription const& after, std::vector<EntitlementChange>& changes)
    {
        auto known = subscriptions::of_user(tx_, scope_id_, user);
        std::erase_if(known, [&](Subscription const& s) { return s.id == after.id; });
        known.push_back(after);
        auto const stored = entitlements::of_source(tx_, scope_id_, user, Source::payments);
        for (auto& wanted : changes_to(stored, entitlements_of(scope_id_, user, known, settings_))) {
            auto const it = std::ranges::find(stored, wanted.id, &Entitlement::id);
            changes.push_back(
                write(it == stored.end() ? std::nullopt : std::optional(*it), std::move(wanted)));
        }
    }

    pg::Tx& tx_;
    core::ScopeId scope_id_;
    PaymentSettings const& settings_;
};

} // namespace

AppliedEvent apply_event(
    pg::Tx& tx, core::ScopeId scope_id, EventData const& data, PaymentSettings const& settings)
{
    return std::visit(EventApplier(tx, scope_id, settings), data);
}

} // namespace billing::ingest
