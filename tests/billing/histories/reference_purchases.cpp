#include "histories/reference_model.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace histories::model {

namespace {

constexpr std::string_view promotional = "PROMOTIONAL", anonymous_prefix = "$RCAnonymousID:";

/// The handled types, with their ranks.
std::map<std::string, int> const ranks{{"INITIAL_PURCHASE", 0}, {"NON_RENEWING_PURCHASE", 0}, {"RENEWAL", 0},
    {"PRODUCT_CHANGE", 0}, {"UNCANCELLATION", 0}, {"SUBSCRIPTION_EXTENDED", 0}, {"CANCELLATION", 1},
    {"SUBSCRIPTION_PAUSED", 2}, {"BILLING_ISSUE", 3}, {"EXPIRATION", 4}};

bool is_anonymous(std::string const& user)
{
    return user.starts_with(anonymous_prefix);
}

struct Purchase {
    std::string user, product, store, transaction, cancel_reason;
    std::set<std::string> aliases;
    LineEvent event;

    bool is_promotional() const { return store == promotional; }
};

/// nullopt: the event changes nothing.
std::optional<Purchase> read(json::object const& envelope)
{
    auto const& e = envelope.at("event");
    auto const type = text(e, "type");
    if (!ranks.contains(type)) return std::nullopt;
    Purchase purchase{.user = text(e, "app_user_id"),
        .product = text(e, type == "PRODUCT_CHANGE" ? "new_product_id" : "product_id"),
        .store = text(e, "store"),
        .transaction = text(e, "transaction_id"),
        .cancel_reason = text(e, "cancel_reason")};
    if (purchase.product.empty()) return std::nullopt;
    purchase.aliases.insert(text(e, "original_app_user_id"));
    if (auto const* aliases = find(&e, {"aliases"}))
        for (auto const& alias : aliases->as_array())
            purchase.aliases.insert(std::string(alias.as_string()));
    auto& event = purchase.event;
    event.type = type;
    event.expires_at = time(e, "expiration_at_ms", millisecond);
    event.grace_until = time(e, "grace_period_expiration_at_ms", millisecond);
    if (!purchase.transaction.empty()) event.transaction = purchase.transaction;
    event.order = {time(e, "event_timestamp_ms", millisecond).value(), ranks.at(type),
        event.expires_at.value_or(never), text(e, "id")};
    return purchase;
}

std::vector<Purchase> purchases_in(History const& history)
{
    std::vector<Purchase> purchases;
    std::set<std::string> ids;
    for (auto const& webhook : history.events) {
        if (webhook.payment || !ids.insert(text(webhook.event.at("event"), "id")).second) continue;
        if (auto purchase = read(webhook.event)) purchases.push_back(*std::move(purchase));
    }
    return purchases;
}

Effect effect_of(Purchase const& purchase, bool is_consumable)
{
    auto const& type = purchase.event.type;
    if (type == "UNCANCELLATION") return Effect::resumed;
    if (type == "EXPIRATION") return Effect::ended;
    if (type == "BILLING_ISSUE") return Effect::issue;
    if (type == "SUBSCRIPTION_PAUSED") return Effect::paused;
    if (type != "CANCELLATION") return Effect::period;
    // A promotional grant has nothing to renew, so its cancellation takes it back, whatever the reason.
    bool const is_refund =
        is_consumable || purchase.is_promotional() || purchase.cancel_reason == "CUSTOMER_SUPPORT";
    return is_refund ? Effect::refunded : Effect::cancelled;
}

/// The key of an entitlement of one user: the product, and for a consumable what identifies the purchase.
using Key = std::pair<std::string, std::string>;

/// Whether the transaction was bought once: a NON_RENEWING_PURCHASE names it, under whichever id of the
/// customer.
bool is_bought_once(std::vector<Purchase> const& purchases, Purchase const& purchase)
{
    if (purchase.is_promotional() || purchase.transaction.empty()) return false;
    return std::ranges::any_of(purchases, [&](Purchase const& other) {
        return other.event.type == "NON_RENEWING_PURCHASE" && !other.is_promotional() &&
               other.product == purchase.product && other.transaction == purchase.transaction;
    });
}

/// The key of an event. A one-time purchase without a transaction is identified by its event.
Key key_of(std::vector<Purchase> const& purchases, Purchase const& purchase)
{
    bool const is_nameless = purchase.event.type == "NON_RENEWING_PURCHASE" && purchase.transaction.empty() &&
                             !purchase.is_promotional();
    if (is_nameless) return {purchase.product, purchase.event.order.id};
    return {purchase.product, is_bought_once(purchases, purchase) ? purchase.transaction : ""};
}

/// The lines of an entitlement, by store.
using Lines = std::map<std::string, std::vector<LineEvent>>;

/// Adds the events of persons that name the anonymous user: they move the anonymous user's purchase to the
/// person. Only the line of the same store moves, and of a one-time purchase only the same transaction.
void add_moves(
    std::map<Key, Lines>& lines, std::vector<Purchase> const& purchases, std::string const& anonymous)
{
    for (auto const& purchase : purchases) {
        if (is_anonymous(purchase.user) || !purchase.aliases.contains(anonymous)) continue;
        auto const it = lines.find(key_of(purchases, purchase));
        if (it == lines.end() || !it->second.contains(purchase.store)) continue;
        LineEvent const moved{.order = purchase.event.order,
            .type = "MOVED",
            .effect = Effect::ended,
            .states_purchase = false};
        it->second[purchase.store].push_back(moved);
    }
}

} // namespace

std::vector<Parts> purchases_of(History const& history, std::string const& user)
{
    auto const purchases = purchases_in(history);
    std::map<Key, Lines> lines;
    for (auto const& purchase : purchases) {
        if (purchase.user != user) continue;
        auto const key = key_of(purchases, purchase);
        auto event = purchase.event;
        event.effect = effect_of(purchase, !key.second.empty());
        lines[key][purchase.store].push_back(std::move(event));
    }
    if (is_anonymous(user)) add_moves(lines, purchases, user);
    std::vector<Parts> entitlements;
    for (auto const& [key, by_store] : lines) {
        Parts parts{.source = "purchases", .product = key.first};
        for (auto const& [store, events] : by_store) {
            auto part = part_of(events, !key.second.empty());
            if (store == promotional) {
                part.will_renew = false;
                part.renewal_until.reset();
            }
            parts.parts.push_back(std::move(part));
        }
        entitlements.push_back(std::move(parts));
    }
    return entitlements;
}

} // namespace histories::model
