#include "domain/history.hpp"

#include <algorithm>
#include <map>

namespace billing {

namespace {

struct PaymentHistory {
    std::vector<SubscriptionEvent> carried;
    std::vector<InvoiceEvent> invoices;
};

} // namespace

std::vector<Entitlement> entitlements_after(std::int64_t scope_id, std::string const& user_id,
    std::span<Event const> events, PaymentRules const& rules)
{
    std::vector<PurchaseEvent> purchases;
    std::map<std::string, PaymentHistory> payments;
    for (auto const& event : events) {
        if (auto const* purchase = std::get_if<PurchaseEvent>(&event.fact)) {
            if (purchase->user_id == user_id) purchases.push_back(*purchase);
        } else if (auto const* carried = std::get_if<SubscriptionEvent>(&event.fact)) {
            payments[carried->subscription_id].carried.push_back(*carried);
        } else if (auto const* invoice = std::get_if<InvoiceEvent>(&event.fact)) {
            payments[invoice->subscription_id].invoices.push_back(*invoice);
        }
    }
    std::vector<Subscription> subscriptions;
    for (auto const& [id, history] : payments)
        if (auto folded = fold_subscription(history.carried, history.invoices))
            subscriptions.push_back(*std::move(folded));

    auto entitlements = fold_purchases(scope_id, purchases);
    auto paid = entitlements_of(scope_id, user_id, subscriptions, rules);
    std::ranges::move(paid, std::back_inserter(entitlements));
    std::ranges::sort(entitlements, [](Entitlement const& a, Entitlement const& b) {
        return a.created_at != b.created_at ? a.created_at > b.created_at : a.id > b.id;
    });
    return entitlements;
}

} // namespace billing
