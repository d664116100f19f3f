#include "domain/purchase_rules.hpp"

#include "domain/named_users.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace billing {

namespace {

EntitlementKey key_of(PurchaseEvent const& event, core::UserId const& user, std::string const& transaction)
{
    return {event.source, user, event.product, transaction};
}

core::Uuid id_of(core::ScopeId scope_id, EntitlementKey const& key)
{
    return entitlement_id(scope_id, key.source, key.user_id, key.product, key.transaction_id);
}

/// The transaction by which a purchase that is bought once is found.
std::string const& transaction_of(PurchaseEvent const& event)
{
    return event.purchase_id.empty() ? event.fact.transaction_id : event.purchase_id;
}

EntitlementKey key_of(Entitlement const& e)
{
    return {e.source, e.user_id, e.provider_product_id, e.transaction_id};
}

Entitlement const* find(std::span<Entitlement const> stored, core::Uuid id)
{
    auto const it = std::ranges::find(stored, id, &Entitlement::id);
    return it == stored.end() ? nullptr : &*it;
}

/// The event that ends the purchase under an anonymous id, because it belongs to the event's user.
PurchaseFact moved_by(PurchaseFact const& fact)
{
    PurchaseFact moved;
    moved.type = PurchaseEventType::moved;
    moved.order = fact.order;
    moved.transaction_id = fact.transaction_id;
    return moved;
}

/// The row after an event. `stored` may be null.
Entitlement joined_row(core::ScopeId scope_id, EntitlementKey const& key, Entitlement const* stored,
    std::string_view store, PurchaseFact const& fact, core::Time received_at)
{
    auto lines = stored == nullptr ? std::vector<PurchaseLine>() : stored->lines;
    join(lines, store, fact, !key.transaction_id.empty());
    auto e = entitlement_of(scope_id, key, std::move(lines));
    e.created_at = e.updated_at = received_at;
    if (stored == nullptr) return e;
    e.created_at = std::min(stored->created_at, received_at);
    if (e.last == stored->last) e.updated_at = stored->updated_at;
    e.alternative_product_id = stored->alternative_product_id;
    e.revision = stored->revision;
    return e;
}

/// Whether the row has events of the store, or of unknown stores.
bool has_line(Entitlement const& stored, std::string_view store)
{
    return std::ranges::any_of(
        stored.lines, [&](PurchaseLine const& line) { return line.store == store || line.store.empty(); });
}

/// An older event may only add the price, which a sync may not contain.
bool differs_but_for_price(Entitlement const& before, Entitlement after)
{
    after.price = before.price;
    return differs(before, after);
}

/// Whether an alias has bought the product once, by the event's transaction.
bool is_once_under_alias(
    PurchaseEvent const& event, core::ScopeId scope_id, std::span<Entitlement const> stored)
{
    auto const& transaction = transaction_of(event);
    return !transaction.empty() && std::ranges::any_of(event.aliases, [&](core::UserId const& alias) {
        return find(stored, id_of(scope_id, key_of(event, alias, transaction))) != nullptr;
    });
}

/// Whether the event moves the purchase from an alias to its own user: the alias is anonymous, and the user
/// is not.
bool moves_from(core::UserId const& alias, PurchaseEvent const& event)
{
    return is_anonymous(alias) && !is_anonymous(event.user_id);
}

/// Ends the purchase under the anonymous aliases that have it.
void end_under_aliases(PurchaseDecision& decision, PurchaseEvent const& event, core::ScopeId scope_id,
    std::string const& transaction, std::span<Entitlement const> stored)
{
    for (auto const& alias : event.aliases) {
        if (!moves_from(alias, event)) continue;
        auto const* before = find(stored, id_of(scope_id, key_of(event, alias, transaction)));
        if (before == nullptr || !has_line(*before, event.store)) continue;
        auto after = joined_row(
            scope_id, key_of(*before), before, event.store, moved_by(event.fact), event.received_at);
        if (after != *before) decision.writes.push_back({*before, std::move(after)});
    }
}

/// Whether the event may be the first one that shows that a purchase is bought once. Earlier events of the
/// purchase look like those of a subscription.
bool states_purchase(PurchaseEvent const& event)
{
    bool const is_synced = event.fact.type == PurchaseEventType::sync && !event.purchase_id.empty();
    return is_synced || event.fact.type == PurchaseEventType::non_renewing_purchase;
}

} // namespace

std::vector<core::Uuid> affected_entitlement_ids(PurchaseEvent const& event, core::ScopeId scope_id)
{
    std::vector<core::Uuid> ids;
    auto const add = [&](core::UserId const& user) {
        ids.push_back(id_of(scope_id, key_of(event, user, {})));
        ids.push_back(id_of(scope_id, key_of(event, user, transaction_of(event))));
    };
    add(event.user_id);
    std::ranges::for_each(event.aliases, add);
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    return ids;
}

bool depends_on_mentions(PurchaseEvent const& event)
{
    return is_anonymous(event.user_id) || states_purchase(event);
}

PurchaseDecision decide(
    PurchaseEvent const& event, core::ScopeId scope_id, std::span<Entitlement const> stored, bool is_named)
{
    auto const subscription_key = key_of(event, event.user_id, {});
    auto const purchase_key = key_of(event, event.user_id, transaction_of(event));
    auto const* subscription = find(stored, id_of(scope_id, subscription_key));
    auto const* purchase =
        purchase_key.transaction_id.empty() ? nullptr : find(stored, id_of(scope_id, purchase_key));
    bool const is_once =
        !event.purchase_id.empty() || purchase != nullptr || is_once_under_alias(event, scope_id, stored);
    bool const reveals = states_purchase(event) && is_once;
    if (reveals && purchase == nullptr && (subscription != nullptr || is_named))
        return {.needs_history = true};

    auto const* before = is_once ? purchase : subscription;
    bool const may_be_moved = is_named && is_anonymous(event.user_id);
    if (may_be_moved && (before == nullptr || !has_line(*before, event.store)))
        return {.needs_history = true};
    auto const& key = is_once ? purchase_key : subscription_key;
    auto after = joined_row(scope_id, key, before, event.store, event.fact, event.received_at);
    PurchaseDecision decision;
    decision.is_repeat = before != nullptr && before->last == event.fact.order;
    decision.applies =
        before == nullptr || after.last != before->last || differs_but_for_price(*before, after);
    if (before == nullptr)
        decision.writes.push_back({std::nullopt, std::move(after)});
    else if (after != *before)
        decision.writes.push_back({*before, std::move(after)});
    end_under_aliases(decision, event, scope_id, key.transaction_id, stored);
    return decision;
}

std::vector<Entitlement> fold_purchases(
    core::ScopeId scope_id, core::UserId const& user_id, std::span<PurchaseEvent const> events)
{
    // Purchases that are bought once, by source, product and transaction. An event may belong to the purchase
    // of an alias, so the user is not part of the key.
    using Purchase = std::tuple<Source, std::string_view, std::string_view>;
    std::set<Purchase> once;
    for (auto const& event : events)
        if (!event.purchase_id.empty()) once.emplace(event.source, event.product, event.purchase_id);
    auto const transaction = [&](PurchaseEvent const& event) {
        bool const is_once = once.contains({event.source, event.product, transaction_of(event)});
        return is_once ? transaction_of(event) : std::string();
    };

    std::map<core::Uuid, Entitlement> found;
    for (auto const& event : events) {
        if (event.user_id != user_id) continue;
        auto const key = key_of(event, user_id, transaction(event));
        auto const id = id_of(scope_id, key);
        auto const it = found.find(id);
        auto const* before = it == found.end() ? nullptr : &it->second;
        found.insert_or_assign(
            id, joined_row(scope_id, key, before, event.store, event.fact, event.received_at));
    }
    for (auto const& event : events) {
        bool const names = std::ranges::find(event.aliases, user_id) != event.aliases.end();
        if (!names || !moves_from(user_id, event)) continue;
        auto const it = found.find(id_of(scope_id, key_of(event, user_id, transaction(event))));
        if (it == found.end() || !has_line(it->second, event.store)) continue;
        it->second = joined_row(
            scope_id, key_of(it->second), &it->second, event.store, moved_by(event.fact), event.received_at);
    }
    std::vector<Entitlement> folded;
    folded.reserve(found.size());
    for (auto& [id, entitlement] : found)
        folded.push_back(std::move(entitlement));
    return folded;
}

std::vector<core::Uuid> purchase_ids(
    core::ScopeId scope_id, core::UserId const& user_id, std::span<PurchaseEvent const> events)
{
    std::set<core::Uuid> ids;
    for (auto const& event : events)
        if (event.user_id == user_id && !event.fact.transaction_id.empty())
            ids.insert(id_of(scope_id, key_of(event, user_id, event.fact.transaction_id)));
    return {ids.begin(), ids.end()};
}

void mark_purchases(core::ScopeId scope_id, core::UserId const& user_id, std::span<PurchaseEvent> events,
    std::span<Entitlement const> purchases)
{
    for (auto& event : events) {
        auto const& transaction = event.fact.transaction_id;
        if (event.user_id != user_id || !event.purchase_id.empty() || transaction.empty()) continue;
        if (find(purchases, id_of(scope_id, key_of(event, user_id, transaction))) != nullptr)
            event.purchase_id = transaction;
    }
}

Entitlement merged(core::ScopeId scope_id, Entitlement const& stored, Entitlement const& folded)
{
    Entitlement e = folded;
    e.revision = stored.revision;
    e.created_at = std::min(stored.created_at, folded.created_at);
    for (auto const& line : stored.lines)
        for (auto const& fact : line.facts)
            e = joined_row(scope_id, key_of(e), &e, line.store, fact, e.updated_at);
    if (e.last == stored.last) e.updated_at = stored.updated_at;
    e.alternative_product_id = stored.alternative_product_id;
    return e;
}

Entitlement joined(
    core::ScopeId scope_id, Entitlement const& stored, PurchaseFact const& fact, core::Time received_at)
{
    return joined_row(scope_id, key_of(stored), &stored, stored.store, fact, received_at);
}

} // namespace billing
