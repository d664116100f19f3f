#include "domain/purchases.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace billing {

namespace {

/// The id of a consumable's purchase. A purchase without a transaction is identified by its event.
std::string const& purchase_of(PurchaseEvent const& event)
{
    bool const is_purchase = event.type == PurchaseType::non_renewing_purchase;
    return is_purchase && event.transaction_id.empty() ? event.order.event_id : event.transaction_id;
}

bool renews_after(PurchaseType type) noexcept
{
    switch (type) {
    case PurchaseType::initial_purchase:
    case PurchaseType::renewal:
    case PurchaseType::product_change:
    case PurchaseType::uncancellation:
    case PurchaseType::billing_issue: // the store retries the payment
    case PurchaseType::subscription_paused:
    case PurchaseType::subscription_extended:
        return true;
    case PurchaseType::non_renewing_purchase:
    case PurchaseType::cancellation:
    case PurchaseType::expiration:
        break;
    }
    return false;
}

/// Applies `event` to the stored entitlement. A stale event changes at most the entitlement's time of
/// creation.
PurchaseDecision decide_on(PurchaseEvent const& event, std::int64_t scope_id, bool consumable,
    std::optional<Entitlement> const& held)
{
    auto made = entitlement_after(event, scope_id, consumable);
    if (!held) return {.applies = true, .write = std::move(made)};
    bool const applies = event.order > held->last;
    auto written = applies ? std::move(made) : *held;
    written.created_at = std::min(held->created_at, event.received_at);
    written.revision = held->revision;
    PurchaseDecision decision{.applies = applies, .again = event.order == held->last};
    if (written != *held) decision.write = std::move(written);
    return decision;
}

} // namespace

Status status_after(PurchaseType type) noexcept
{
    switch (type) {
    case PurchaseType::expiration:
    case PurchaseType::billing_issue:
        return Status::expired;
    case PurchaseType::subscription_paused:
        return Status::paused;
    case PurchaseType::initial_purchase:
    case PurchaseType::non_renewing_purchase:
    case PurchaseType::renewal:
    case PurchaseType::product_change:
    case PurchaseType::cancellation:
    case PurchaseType::uncancellation:
    case PurchaseType::subscription_extended:
        break;
    }
    return Status::active;
}

int rank_of(PurchaseType type) noexcept
{
    switch (type) {
    case PurchaseType::expiration:
        return 4;
    case PurchaseType::billing_issue:
        return 3;
    case PurchaseType::subscription_paused:
        return 2;
    case PurchaseType::cancellation:
        return 1;
    case PurchaseType::initial_purchase:
    case PurchaseType::non_renewing_purchase:
    case PurchaseType::renewal:
    case PurchaseType::product_change:
    case PurchaseType::uncancellation:
    case PurchaseType::subscription_extended:
        break;
    }
    return 0;
}

Entitlement entitlement_after(PurchaseEvent const& event, std::int64_t scope_id, bool consumable)
{
    Entitlement e;
    if (consumable) e.transaction_id = purchase_of(event);
    e.id = entitlement_id(scope_id, Source::purchases, event.user_id, event.product, e.transaction_id);
    e.user_id = event.user_id;
    e.source = Source::purchases;
    e.provider_product_id = event.product;
    e.status = status_after(event.type);
    e.purchased_at = event.purchased_at;
    e.expires_at = event.expires_at;
    e.grace_until = event.grace_until;
    e.will_renew = !consumable && renews_after(event.type);
    if (consumable && event.type == PurchaseType::cancellation) {
        e.status = Status::expired;
        e.expires_at = event.order.at;
        e.grace_until.reset();
    }
    e.last_event_type = to_string(event.type);
    e.last = event.order;
    e.last_transaction_id = event.transaction_id;
    e.created_at = e.updated_at = event.received_at;
    return e;
}

std::array<core::Uuid, 2> entitlements_concerned(PurchaseEvent const& event, std::int64_t scope_id)
{
    auto const id = [&](std::string_view transaction_id) {
        return entitlement_id(scope_id, Source::purchases, event.user_id, event.product, transaction_id);
    };
    return {id({}), id(purchase_of(event))};
}

PurchaseDecision decide(PurchaseEvent const& event, std::int64_t scope_id, HeldPurchases const& held)
{
    if (event.type != PurchaseType::non_renewing_purchase) {
        bool const consumable = held.consumable.has_value();
        return decide_on(event, scope_id, consumable, consumable ? held.consumable : held.subscription);
    }
    if (!held.consumable && held.subscription) return {.needs_history = true};
    return decide_on(event, scope_id, true, held.consumable);
}

std::vector<Entitlement> fold_purchases(std::int64_t scope_id, std::span<PurchaseEvent const> events)
{
    using Purchase = std::tuple<std::string_view, std::string_view, std::string_view>;
    auto const purchase = [](PurchaseEvent const& event) {
        return Purchase(event.user_id, event.product, purchase_of(event));
    };
    std::set<Purchase> consumables;
    for (auto const& event : events)
        if (event.type == PurchaseType::non_renewing_purchase) consumables.insert(purchase(event));

    std::map<core::Uuid, Entitlement> entitlements;
    for (auto const& event : events) {
        auto made = entitlement_after(event, scope_id, consumables.contains(purchase(event)));
        auto const [it, is_new] = entitlements.try_emplace(made.id, made);
        if (is_new) continue;
        made.created_at = it->second.created_at = std::min(made.created_at, it->second.created_at);
        if (made.last > it->second.last) it->second = std::move(made);
    }
    std::vector<Entitlement> folded;
    for (auto& [id, entitlement] : entitlements)
        folded.push_back(std::move(entitlement));
    return folded;
}

} // namespace billing
