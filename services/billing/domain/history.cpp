#include "domain/history.hpp"

#include "domain/purchase_rules.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace billing {

namespace {

void sort_newest_first(std::vector<Entitlement>& entitlements)
{
    std::ranges::sort(entitlements, [](Entitlement const& a, Entitlement const& b) {
        return a.created_at != b.created_at ? a.created_at > b.created_at : a.id > b.id;
    });
}

/// The events of one subscription.
struct PaymentHistory {
    std::vector<SubscriptionEvent> subscription_events;
    std::vector<InvoiceEvent> invoices;
};

/// Sorts events by what they are about.
struct Sorter {
    std::map<std::string, std::string> const& checkout_products;
    std::vector<PurchaseEvent> purchases{};
    std::map<std::string, PaymentHistory> payments{};

    void operator()(PurchaseEvent const& event) { purchases.push_back(event); }

    void operator()(SyncEvent const& event)
    {
        std::ranges::copy(event.purchases, std::back_inserter(purchases));
    }

    void operator()(SubscriptionEvent const& event)
    {
        payments[event.subscription_id].subscription_events.push_back(event);
    }

    void operator()(InvoiceEvent const& event) { payments[event.subscription_id].invoices.push_back(event); }

    void operator()(CheckoutEvent const& event)
    {
        auto const product = checkout_products.find(event.product);
        if (product == checkout_products.end()) return;
        purchases.push_back({.source = Source::payments,
            .user_id = event.user_id,
            .product = product->second,
            .store = std::string(stripe_store),
            .purchase_id = event.purchase_id,
            .fact = event.fact,
            .aliases = {},
            .received_at = event.received_at});
    }

    void operator()(auto const&) const {}
};

std::vector<Subscription> fold_subscriptions(
    std::map<std::string, PaymentHistory> const& payments, Known const& known, core::Time until)
{
    std::vector<Subscription> subscriptions;
    for (auto const& [id, history] : payments) {
        auto folded = fold_subscription(history.subscription_events, history.invoices);
        if (!folded) continue;
        auto const stored = std::ranges::find(known.subscriptions, id, &Subscription::id);
        if (stored != known.subscriptions.end())
            for (auto const& reversal : stored->reversals)
                if (reversal.order.at <= until) apply_reversal(*folded, reversal);
        subscriptions.push_back(*std::move(folded));
    }
    return subscriptions;
}

/// Adds the events up to `until` that the stored rows contain.
void add_known(core::ScopeId scope_id, std::vector<Entitlement>& folded, Known const& known, core::Time until)
{
    for (auto& e : folded) {
        auto const stored = std::ranges::find(known.entitlements, e.id, &Entitlement::id);
        if (stored == known.entitlements.end()) continue;
        auto earlier = *stored;
        for (auto& line : earlier.lines)
            std::erase_if(line.facts, [&](PurchaseFact const& fact) { return fact.order.at > until; });
        e = merged(scope_id, earlier, e);
        e.revision = 0;
    }
}

} // namespace

std::vector<Entitlement> entitlements_after(core::ScopeId scope_id, core::UserId const& user_id,
    std::span<Event const> events, Known const& known, core::Time until)
{
    Sorter sorted{known.checkout_products};
    for (auto const& event : events)
        std::visit(sorted, event.data);
    mark_purchases(scope_id, user_id, sorted.purchases, known.entitlements);
    auto entitlements = fold_purchases(scope_id, user_id, sorted.purchases);
    add_known(scope_id, entitlements, known, until);
    auto const subscriptions = fold_subscriptions(sorted.payments, known, until);
    std::ranges::move(entitlements_of(scope_id, user_id, subscriptions), std::back_inserter(entitlements));
    sort_newest_first(entitlements);
    return entitlements;
}

std::vector<Entitlement> entitlements_as_of(core::ScopeId scope_id, core::UserId const& user_id,
    core::Time at, std::span<Event const> events, Known const& known)
{
    std::map<core::Uuid, Entitlement> found;
    for (auto& e : entitlements_after(scope_id, user_id, events, known, at))
        found.emplace(e.id, std::move(e));
    for (auto const& e : known.entitlements)
        if (e.last.at <= at) found.insert_or_assign(e.id, e);
    std::vector<Entitlement> entitlements;
    entitlements.reserve(found.size());
    for (auto& [id, e] : found)
        entitlements.push_back(std::move(e));
    sort_newest_first(entitlements);
    return entitlements;
}

} // namespace billing
