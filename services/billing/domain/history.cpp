#include "domain/history.hpp"

#include "domain/purchase_rules.hpp"

#include <algorithm>
#include <map>

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

} // namespace

std::vector<Entitlement> entitlements_after(core::ScopeId scope_id, core::UserId const& user_id,
    std::span<Event const> events, PaymentSettings const& settings)
{
    std::vector<PurchaseEvent> purchases;
    std::map<std::string, PaymentHistory> payments;
    for (auto const& event : events) {
        if (auto const* purchase = std::get_if<PurchaseEvent>(&event.data)) {
            if (purchase->user_id == user_id) purchases.push_back(*purchase);
        } else if (auto const* subscription = std::get_if<SubscriptionEvent>(&event.data)) {
            payments[subscription->subscription_id].subscription_events.push_back(*subscription);
        } else if (auto const* invoice = std::get_if<InvoiceEvent>(&event.data)) {
            payments[invoice->subscription_id].invoices.push_back(*invoice);
        }
    }
    std::vector<Subscription> subscriptions;
    for (auto const& [id, history] : payments)
        if (auto folded = fold_subscription(history.subscription_events, history.invoices))
            subscriptions.push_back(*std::move(folded));

    auto entitlements = fold_purchases(scope_id, purchases);
    auto paid = entitlements_of(scope_id, user_id, subscriptions, settings);
    std::ranges::move(paid, std::back_inserter(entitlements));
    sort_newest_first(entitlements);
    return entitlements;
}

std::vector<Entitlement> entitlements_as_of(
    core::Time at, std::vector<Entitlement> const& now, std::vector<Entitlement> const& folded)
{
    std::map<core::Uuid, Entitlement> found;
    for (auto const& e : folded)
        found.emplace(e.id, e);
    for (auto const& e : now) {
        if (e.last.at <= at) {
            found.insert_or_assign(e.id, e);
        } else if (e.source == Source::manual && e.status == Status::expired && e.purchased_at <= at) {
            found.emplace(e.id, e).first->second.status = Status::active;
        }
    }
    std::vector<Entitlement> entitlements;
    for (auto& [id, e] : found)
        entitlements.push_back(std::move(e));
    sort_newest_first(entitlements);
    return entitlements;
}

} // namespace billing
