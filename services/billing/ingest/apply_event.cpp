#include "ingest/apply_event.hpp"

#include "domain/named_users.hpp"
#include "domain/purchase_rules.hpp"
#include "ingest/apply_payment.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>
#include <variant>

namespace billing::ingest {

namespace {

using Changes = std::vector<EntitlementChange>;

void append(Changes& changes, Changes more)
{
    std::ranges::move(more, std::back_inserter(changes));
}

/// Applies one event to the rows of its scope. The caller holds the scope's lock.
class EventApplier {
public:
    EventApplier(Rows& rows, core::ScopeId scope_id)
        : rows_(rows), scope_id_(scope_id), payments_(rows, scope_id)
    {
    }

    AppliedEvent operator()(Skipped const& skipped) const
    {
        return {.outcome = {EventResult::skipped, std::string(skipped.reason)}};
    }

    AppliedEvent operator()(SettingsEvent const&) const { return {.outcome = {EventResult::applied, {}}}; }

    AppliedEvent operator()(PurchaseEvent const& event)
    {
        auto const stored = rows_.entitlements(affected_entitlement_ids(event, scope_id_));
        bool const is_named = depends_on_mentions(event) && rows_.is_named(event.user_id);
        auto decision = decide(event, scope_id_, stored, is_named);
        if (decision.needs_history) return reapply_history(event);
        AppliedEvent applied{.outcome = outcome_of(decision), .is_repeat = decision.is_repeat};
        for (auto& change : decision.writes)
            applied.changes.push_back(write(std::move(change)));
        return applied;
    }

    AppliedEvent operator()(SyncEvent const& sync)
    {
        AppliedEvent applied{.outcome = {EventResult::stale, {}}};
        for (auto const& purchase : sync.purchases) {
            auto one = (*this)(purchase);
            if (one.outcome.result == EventResult::applied) applied.outcome = one.outcome;
            append(applied.changes, std::move(one.changes));
        }
        return applied;
    }

    AppliedEvent operator()(CheckoutEvent const& event)
    {
        auto const product = rows_.product(event.product);
        if (!product) return {.outcome = {EventResult::skipped, "unknown_product"}};
        if (product->is_subscription) return {.outcome = {EventResult::skipped, "subscription_product"}};
        auto const purchase = purchase_of(event, *product);
        auto applied = (*this)(purchase);
        applied.node.entitlement_id = entitlement_id(
            scope_id_, Source::payments, event.user_id, purchase.product, purchase.purchase_id);
        return applied;
    }

    AppliedEvent operator()(SubscriptionEvent const& event) { return payments_.apply(event); }

    AppliedEvent operator()(InvoiceEvent const& event) { return payments_.apply(event); }

    /// The events about the same payment decide whether the reversal has a purchase (`apply_reversals`).
    AppliedEvent operator()(ReversalEvent const&) const
    {
        return {.outcome = {EventResult::skipped, std::string(unknown_charge)}};
    }

    /// Applies the reversals of the payment that `node` is about.
    void apply_reversals(AppliedEvent& applied, PaymentNode const& node)
    {
        auto result = payments_.reverse(node);
        append(applied.changes, std::move(result.changes));
        if (!node.reversal || !result.user_id) return;
        applied.outcome = {EventResult::applied, {}};
        applied.user_id = std::move(result.user_id);
        applied.is_repeat = applied.changes.empty();
    }

private:
    EntitlementChange write(EntitlementChange change)
    {
        rows_.write(change.to);
        return change;
    }

    static PurchaseEvent purchase_of(CheckoutEvent const& event, CheckoutProduct const& product)
    {
        return {.source = Source::payments,
            .user_id = event.user_id,
            .product = product.provider_product_id,
            .store = std::string(stripe_store),
            .purchase_id = event.purchase_id,
            .fact = event.fact,
            .aliases = {},
            .received_at = event.received_at};
    }

    /// Decides an event whose result does not follow from the stored rows (PurchaseDecision::needs_history).
    AppliedEvent reapply_history(PurchaseEvent const& event)
    {
        AppliedEvent applied;
        auto const events = history_of(event.user_id, std::span(&event, 1));
        auto const once = bought_once(events);
        reapply(event.user_id, events, once, event, applied.changes);
        for (auto const& user : others_of(event.user_id, events, once))
            reapply(user, history_of(user, once), once, event, applied.changes);
        bool const decides = std::ranges::any_of(applied.changes,
            [&](EntitlementChange const& change) { return change.to.last == event.fact.order; });
        applied.outcome.result = decides ? EventResult::applied : EventResult::stale;
        return applied;
    }

    /// The events which show that their purchase was bought once.
    static std::vector<PurchaseEvent> bought_once(std::vector<PurchaseEvent> const& events)
    {
        std::vector<PurchaseEvent> once;
        std::ranges::copy_if(events, std::back_inserter(once),
            [](PurchaseEvent const& event) { return !event.purchase_id.empty(); });
        return once;
    }

    /// The maximum number of user ids of a purchase. A customer has a few.
    static constexpr std::size_t max_others = 20;

    static bool is_about(std::string const& transaction, std::vector<PurchaseEvent> const& purchases)
    {
        return !transaction.empty() &&
               std::ranges::find(purchases, transaction, &PurchaseEvent::purchase_id) != purchases.end();
    }

    /// The other user ids of these purchases. Their events look different under these ids now, too.
    static std::set<core::UserId> others_of(core::UserId const& user,
        std::vector<PurchaseEvent> const& events, std::vector<PurchaseEvent> const& once)
    {
        std::set<core::UserId> others;
        for (auto const& event : events) {
            if (!is_about(event.fact.transaction_id, once)) continue;
            others.insert(event.user_id);
            others.insert(event.aliases.begin(), event.aliases.end());
        }
        others.erase(user);
        while (others.size() > max_others)
            others.erase(std::prev(others.end()));
        return others;
    }

    /// The archived events of the user about the product of `more`, and `more`, which is not empty.
    std::vector<PurchaseEvent> history_of(core::UserId const& user, std::span<PurchaseEvent const> more)
    {
        std::vector<PurchaseEvent> events(more.begin(), more.end());
        auto const add = [&](PurchaseEvent const& purchase) {
            if (purchase.product == more.front().product && purchase.source == more.front().source)
                events.push_back(purchase);
        };
        for (auto const& archived : rows_.history_of(user)) {
            if (auto const* purchase = std::get_if<PurchaseEvent>(&archived.data)) add(*purchase);
            if (auto const* sync = std::get_if<SyncEvent>(&archived.data))
                std::ranges::for_each(sync->purchases, add);
        }
        mark_purchases(scope_id_, user, events, rows_.entitlements(purchase_ids(scope_id_, user, events)));
        return events;
    }

    /// Writes the user's entitlements that result from `events`, and appends their changes.
    void reapply(core::UserId const& user, std::vector<PurchaseEvent> const& events,
        std::vector<PurchaseEvent> const& once, PurchaseEvent const& event, Changes& changes)
    {
        auto const folded = fold_purchases(scope_id_, user, events);
        remove_mistaken(user, event, once);
        for (auto const& wanted : folded)
            if (auto change = replace(wanted, event)) changes.push_back(*std::move(change));
    }

    /// Removes the events of purchases that are bought once from the stored subscription of the product. If
    /// it has no others, the row is removed.
    void remove_mistaken(
        core::UserId const& user, PurchaseEvent const& event, std::vector<PurchaseEvent> const& once)
    {
        EntitlementKey const key{event.source, user, event.product, {}};
        std::vector const ids{entitlement_id(scope_id_, key.source, key.user_id, key.product)};
        auto stored = rows_.entitlements(ids);
        if (stored.empty()) return;
        auto lines = stored.front().lines;
        for (auto& line : lines)
            std::erase_if(
                line.facts, [&](PurchaseFact const& fact) { return is_about(fact.transaction_id, once); });
        std::erase_if(lines, [](PurchaseLine const& line) {
            return std::ranges::all_of(
                line.facts, [](PurchaseFact const& fact) { return fact.type == PurchaseEventType::moved; });
        });
        if (lines == stored.front().lines) return;
        if (lines.empty()) {
            rows_.remove(stored.front().id);
            return;
        }
        auto corrected = entitlement_of(scope_id_, key, std::move(lines));
        corrected.created_at = stored.front().created_at;
        corrected.updated_at = stored.front().updated_at;
        rows_.write(corrected);
    }

    /// Writes an entitlement that fold_purchases() returned, together with what only the stored row contains.
    std::optional<EntitlementChange> replace(Entitlement wanted, PurchaseEvent const& event)
    {
        std::vector const ids{wanted.id};
        auto stored = rows_.entitlements(ids);
        if (stored.empty()) return write({std::nullopt, std::move(wanted)});
        auto after = merged(scope_id_, stored.front(), wanted);
        bool const is_new = after.last == event.fact.order;
        if (after == stored.front() && !is_new) return std::nullopt;
        return write({std::move(stored.front()), std::move(after)});
    }

    Rows& rows_;
    core::ScopeId scope_id_;
    PaymentApplier payments_;
};

} // namespace

AppliedEvent apply_event(Rows& rows, core::ScopeId scope_id, Event const& event, core::Uuid archive_id)
{
    EventApplier applier(rows, scope_id);
    auto applied = std::visit(applier, event.data);
    auto const entitlement_id = applied.node.entitlement_id;
    applied.node = node_of(event);
    applied.node.archive_id = archive_id;
    applied.node.entitlement_id = entitlement_id;
    if (!applied.node.ids.empty()) applier.apply_reversals(applied, applied.node);
    return applied;
}

} // namespace billing::ingest
