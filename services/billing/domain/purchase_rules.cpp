#include "domain/purchase_rules.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace billing {

namespace {

/// The id of a consumable's purchase. A purchase without a transaction is identified by its event.
std::string const& purchase_of(PurchaseEvent const& event)
{
    bool const is_purchase = event.type == PurchaseEventType::non_renewing_purchase;
    return is_purchase && event.transaction_id.empty() ? event.order.event_id : event.transaction_id;
}

bool renews_after(PurchaseEventType type) noexcept
{
    switch (type) {
    case PurchaseEventType::initial_purchase:
    case PurchaseEventType::renewal:
    case PurchaseEventType::product_change:
    case PurchaseEventType::uncancellation:
    case PurchaseEventType::billing_issue: // the store retries the payment
    case PurchaseEventType::subscription_paused:
    case PurchaseEventType::subscription_extended:
        return true;
    case PurchaseEventType::non_renewing_purchase:
    case PurchaseEventType::cancellation:
    case PurchaseEventType::expiration:
        break;
    }
    return false;
}

/// Applies `event` to the stored entitlement. A stale event changes at most the entitlement's time of
/// creation.
PurchaseDecision decide_on(PurchaseEvent const& event, core::ScopeId scope_id, bool consumable,
    std::optional<Entitlement> const& stored)
{
    auto made = entitlement_after(event, scope_id, consumable);
    if (!stored) return {.applies = true, .write = std::move(made)};
    bool const applies = event.order > stored->last;
    auto written = applies ? std::move(made) : *stored;
    written.created_at = std::min(stored->created_at, event.received_at);
    written.revision = stored->revision;
    PurchaseDecision decision{.applies = applies, .is_repeat = event.order == stored->last};
    if (written != *stored) decision.write = std::move(written);
    return decision;
}

} // namespace

Status status_after(PurchaseEventType type) noexcept
{
    switch (type) {
    case PurchaseEventType::expiration:
    case PurchaseEventType::billing_issue:
        return Status::expired;
    case PurchaseEventType::subscription_paused:
        return Status::paused;
    case PurchaseEventType::initial_purchase:
    case PurchaseEventType::non_renewing_purchase:
    case PurchaseEventType::renewal:
    case PurchaseEventType::product_change:
    case PurchaseEventType::cancellation:
    case PurchaseEventType::uncancellation:
    case PurchaseEventType::subscription_extended:
        break;
    }
    return Status::active;
}

Entitlement entitlement_after(PurchaseEvent const& event, core::ScopeId scope_id, bool consumable)
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
    if (consumable && event.type == PurchaseEventType::cancellation) {
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

std::array<core::Uuid, 2> affected_entitlement_ids(PurchaseEvent const& event, core::ScopeId scope_id)
{
    auto const id = [&](std::string_view transaction_id) {
        return entitlement_id(scope_id, Source::purchases, event.user_id, event.product, transaction_id);
    };
    return {id({}), id(purchase_of(event))};
}

PurchaseDecision decide(PurchaseEvent const& event, core::ScopeId scope_id, StoredPurchases const& stored)
{
    if (event.type != PurchaseEventType::non_renewing_purchase) {
        bool const consumable = stored.consumable.has_value();
        return decide_on(event, scope_id, consumable, consumable ? stored.consumable : stored.subscription);
    }
    if (!stored.consumable && stored.subscription) return {.needs_history = true};
    return decide_on(event, scope_id, true, stored.consumable);
}

std::vector<Entitlement> fold_purchases(core::ScopeId scope_id, std::span<PurchaseEvent const> events)
{
    using Purchase = std::tuple<std::string_view, std::string_view, std::string_view>;
    auto const purchase = [](PurchaseEvent const& event) {
        return Purchase(event.user_id.text(), event.product, purchase_of(event));
    };
    std::set<Purchase> consumables;
    for (auto const& event : events)
        if (event.type == PurchaseEventType::non_renewing_purchase) consumables.insert(purchase(event));

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
