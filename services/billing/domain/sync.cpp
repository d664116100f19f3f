#include "domain/sync.hpp"

#include "core/text.hpp"
#include "domain/purchase_line.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace billing {

namespace {

namespace json = boost::json;
using std::chrono::microseconds, std::chrono::seconds;

constexpr std::string_view promotional = "PROMOTIONAL";

bool is_after(std::optional<core::Time> const& time, core::Time moment) noexcept
{
    return time && *time > moment;
}

/// Whether the paid period and any grace period have ended.
bool has_ended(Purchase const& p, core::Time at) noexcept
{
    return p.expires_at && *p.expires_at <= at && !is_after(p.grace_ends_at, at);
}

Status status_of(Purchase const& p, core::Time at) noexcept
{
    if (p.refunded_at) return Status::expired;
    if (is_after(p.resumes_at, at)) return Status::paused;
    if (p.billing_issue_at) return is_after(p.grace_ends_at, at) ? Status::active : Status::expired;
    return has_ended(p, at) ? Status::expired : Status::active;
}

/// Of two times in the same second, the stored one: the document's times are whole seconds, those of events
/// have milliseconds.
std::optional<core::Time> precise(std::optional<core::Time> listed, std::optional<core::Time> stored)
{
    bool const same =
        listed && stored && std::chrono::floor<seconds>(*listed) == std::chrono::floor<seconds>(*stored);
    return same ? stored : listed;
}

/// What is stored about a purchase in one store.
struct Known {
    Entitlement const* entitlement = nullptr; ///< null: nothing
    PurchaseLine line;                        ///< includes the events of unknown stores
    std::optional<LineState> state;           ///< points into `line`; nullopt: no events

    Known(Entitlement const* stored, std::string_view store)
        : entitlement(stored), line{.store = std::string(store), .facts = {}}
    {
        if (stored == nullptr) return;
        bool const consumable = !stored->transaction_id.empty();
        for (auto const& other : stored->lines)
            if (other.store == store || other.store.empty())
                for (auto const& fact : other.facts)
                    join(line, fact, consumable);
        if (!line.facts.empty()) state = state_of(line, consumable);
    }

    Known(Known const&) = delete;
    Known& operator=(Known const&) = delete;

    EventOrder order(SyncTimes const& times) const
    {
        std::optional<EventOrder> last;
        if (entitlement != nullptr) last = state ? state->last->order : entitlement->last;
        auto const updated_at = entitlement == nullptr ? core::Time() : entitlement->updated_at;
        return order_of_sync(times.watermark, times.sent_at, last, updated_at);
    }

    /// A fact with what is stored, except the state.
    PurchaseFact fact() const
    {
        PurchaseFact f{.type = PurchaseEventType::sync};
        f.quantity = 1;
        if (!state) return f;
        f.purchased_at = state->terms.purchased_at;
        f.expires_at = state->expires_at;
        f.grace_until = state->grace_until;
        f.transaction_id = state->terms.transaction_id;
        f.period_type = state->terms.period_type;
        f.quantity = state->terms.quantity;
        f.price = state->terms.price;
        f.cancel_reason = state->last->cancel_reason;
        return f;
    }
};

void set_order(PurchaseFact& fact, EventOrder order)
{
    fact.order = std::move(order);
    fact.order.period_end = fact.expires_at.value_or(core::Time::max());
}

PurchaseEvent event_of(core::UserId const& user_id, std::string product, std::string transaction,
    std::string store, PurchaseFact fact)
{
    return {.source = Source::purchases,
        .user_id = user_id,
        .product = std::move(product),
        .store = std::move(store),
        .purchase_id = std::move(transaction),
        .fact = std::move(fact),
        .aliases = {}};
}

/// A purchase that the provider lists in a store, which may be empty. `stored`: its entitlement, or null.
PurchaseEvent listed(Purchase const& p, std::string_view listed_store, core::UserId const& user_id,
    Entitlement const* stored, SyncTimes const& times)
{
    auto const store = listed_store.empty() && stored != nullptr ? stored->store : std::string(listed_store);
    Known const known(stored, store);
    auto fact = known.fact();
    fact.purchased_at = precise(p.purchased_at, fact.purchased_at);
    fact.expires_at = precise(p.expires_at, fact.expires_at);
    fact.grace_until = precise(p.grace_ends_at, fact.grace_until);
    for (auto const* id : {&p.store_transaction, &p.transaction})
        if (!id->empty()) fact.transaction_id = *id;
    if (p.period_type) fact.period_type = p.period_type;
    if (p.price) fact.price = p.price;
    SyncedState state{.status = status_of(p, times.asked_at), .ended_at = p.refunded_at};
    bool const is_over = state.status == Status::expired;
    bool const recurs = p.expires_at && p.transaction.empty() && store != promotional;
    state.will_renew = !is_over && recurs && !p.unsubscribed_at;
    state.in_billing_issue = p.billing_issue_at && !p.refunded_at;
    if (!is_over && !p.unsubscribed_at) fact.cancel_reason.clear();
    if (p.refunded_at && !p.transaction.empty()) fact.expires_at = p.refunded_at;
    fact.synced = state;
    set_order(fact, known.order(times));
    return event_of(user_id, p.product, p.transaction, store, std::move(fact));
}

/// A purchase that the provider no longer lists, in one store.
PurchaseEvent unlisted(Entitlement const& stored, std::string const& store, SyncTimes const& times)
{
    Known const known(&stored, store);
    auto fact = known.fact();
    auto end = std::min(times.asked_at, times.moved_at.value_or(times.asked_at));
    if (known.state) end = std::min(end, known.state->access.until);
    if (!stored.transaction_id.empty()) fact.expires_at = std::min(fact.expires_at.value_or(end), end);
    fact.synced = SyncedState{
        .status = Status::expired, .will_renew = false, .in_billing_issue = false, .ended_at = end};
    set_order(fact, known.order(times));
    return event_of(
        stored.user_id, stored.provider_product_id, stored.transaction_id, store, std::move(fact));
}

/// Product, transaction and store.
using PurchaseKey = std::tuple<std::string_view, std::string_view, std::string_view>;

/// The purchases of one environment. The document may list a product twice: with a base plan, and with the
/// plan in the product id. In this case the better purchase is used. An active purchase is better than an
/// inactive one; otherwise, the later end is better. A purchase without a store belongs to the store in which
/// the product is listed otherwise.
std::map<PurchaseKey, Purchase const*> listed_in(
    core::Environment environment, Subscriber const& subscriber, core::Time asked_at)
{
    std::map<PurchaseKey, Purchase const*> found;
    auto const lasts = [&](Purchase const& p) {
        auto const end = p.expires_at ? std::max(p.expires_at, p.grace_ends_at) : core::Time::max();
        return std::pair(status_of(p, asked_at) == Status::active, end);
    };
    auto const add = [&](Purchase const& p) {
        if (p.sandbox != (environment == core::Environment::sandbox)) return;
        auto key = PurchaseKey(p.product, p.transaction, p.store);
        auto const same = found.lower_bound({p.product, p.transaction, {}});
        bool const is_listed = same != found.end() && std::get<0>(same->first) == p.product &&
                               std::get<1>(same->first) == p.transaction;
        if (p.store.empty() && is_listed) key = same->first;
        auto const [it, added] = found.try_emplace(key, &p);
        if (!added && lasts(p) > lasts(*it->second)) it->second = &p;
    };
    for (bool const has_store : {true, false}) {
        auto const add_those = [&](Purchase const& p) {
            if (p.store.empty() != has_store) add(p);
        };
        std::ranges::for_each(subscriber.subscriptions, add_those);
        if (subscriber.consumables) std::ranges::for_each(*subscriber.consumables, add_those);
    }
    return found;
}

/// Whether the last event said that the store tries to collect a payment.
bool is_in_issue(LineState const& state) noexcept
{
    auto const& last = *state.last;
    return last.type == PurchaseEventType::billing_issue || (last.synced && last.synced->in_billing_issue);
}

bool is_same(LineState const& a, LineState const& b)
{
    auto const result = [](LineState const& s) {
        return std::tie(s.status, s.access, s.terms.purchased_at, s.expires_at, s.grace_until, s.will_renew,
            s.terms.transaction_id, s.terms.period_type, s.terms.quantity, s.terms.price,
            s.last->cancel_reason);
    };
    return result(a) == result(b) && is_in_issue(a) == is_in_issue(b);
}

json::object object_of(SubscriptionItem const& item)
{
    json::object price{{"id", item.product}};
    if (!item.alternative.empty()) price["product"] = item.alternative;
    if (item.price) {
        price["currency"] = core::lower(item.price->currency);
        price["unit_amount"] = item.price->amount;
    }
    json::object object{{"price", std::move(price)}, {"quantity", item.quantity}};
    auto const set = [&](std::string_view name, std::optional<core::Time> const& time) {
        if (time) object[name] = core::unix_seconds(*time);
    };
    set("created", item.since);
    set("current_period_start", item.starts);
    set("current_period_end", item.ends);
    return object;
}

} // namespace

core::Time watermark_of(std::optional<core::Time> platform_time, core::Time asked_at) noexcept
{
    bool const is_plausible =
        platform_time && std::chrono::abs(*platform_time - asked_at) <= max_clock_difference;
    return is_plausible ? *platform_time : asked_at;
}

EventOrder order_of_sync(core::Time watermark, core::Time sent_at, std::optional<EventOrder> const& last,
    core::Time updated_at) noexcept
{
    EventOrder order{.at = watermark, .rank = rank_of(PurchaseEventType::sync), .event_id = {}};
    if (!last || updated_at >= sent_at) return order;
    order.at = std::max(order.at, last->at);
    if (order.at == last->at && last->rank >= order.rank) order.at += microseconds(1);
    return order;
}

SyncEvent decide_sync(core::ScopeId scope_id, core::UserId const& user_id, Subscriber const& subscriber,
    std::span<Entitlement const> stored, SyncTimes const& times)
{
    std::map<core::Uuid, Entitlement const*> unseen;
    for (auto const& entitlement : stored)
        unseen.emplace(entitlement.id, &entitlement);
    auto const all = unseen;

    SyncEvent sync;
    auto const environment = core::environment_of(scope_id);
    for (auto const& [key, purchase] : listed_in(environment, subscriber, times.asked_at)) {
        auto const id =
            entitlement_id(scope_id, Source::purchases, user_id, purchase->product, purchase->transaction);
        auto const it = all.find(id);
        auto const* known = it == all.end() ? nullptr : it->second;
        sync.purchases.push_back(listed(*purchase, std::get<2>(key), user_id, known, times));
        unseen.erase(id);
    }
    for (auto const& [id, entitlement] : unseen) {
        bool const is_unreported = !entitlement->transaction_id.empty() && !subscriber.consumables;
        if (is_unreported || entitlement->updated_at >= times.sent_at) continue;
        if (entitlement->lines.empty())
            sync.purchases.push_back(unlisted(*entitlement, entitlement->store, times));
        for (auto const& line : entitlement->lines) {
            // The facts for the known stores supersede the events of unknown stores, too.
            if (line.store.empty() && entitlement->lines.size() > 1) continue;
            sync.purchases.push_back(unlisted(*entitlement, line.store, times));
        }
    }
    return sync;
}

bool is_confirmation(core::ScopeId scope_id, PurchaseEvent const& event, std::span<Entitlement const> stored)
{
    auto const id = entitlement_id(scope_id, event.source, event.user_id, event.product, event.purchase_id);
    auto const entitlement = std::ranges::find(stored, id, &Entitlement::id);
    bool const has_line =
        entitlement != stored.end() &&
        std::ranges::find(entitlement->lines, event.store, &PurchaseLine::store) != entitlement->lines.end();
    if (!has_line) return false;
    Known const known(&*entitlement, event.store);
    bool const consumable = !event.purchase_id.empty();
    auto after = known.line;
    join(after, event.fact, consumable);
    return is_same(*known.state, state_of(after, consumable));
}

bool is_changed_by_sync(EntitlementChange const& change) noexcept
{
    if (!change.from) return true;
    auto const synced = [](Entitlement const& e) {
        return std::tie(e.status, e.purchased_at, e.expires_at, e.grace_until, e.access.until,
            e.access.past_due_until, e.will_renew, e.trial_ends_at, e.quantity, e.price);
    };
    // A row of the previous version has no period type.
    auto const period_type = [](Entitlement const& e) { return e.period_type.value_or(PeriodType::normal); };
    return synced(*change.from) != synced(change.to) || period_type(*change.from) != period_type(change.to);
}

boost::json::value ended_subscription(
    Subscription const& stored, core::Environment environment, core::Time ended_at)
{
    json::array items;
    for (auto const& item : stored.items)
        items.push_back(object_of(item));
    auto const end = core::unix_seconds(ended_at);
    json::object object{{"id", stored.id}, {"object", "subscription"},
        {"livemode", environment == core::Environment::production}, {"status", "canceled"}, {"ended_at", end},
        {"canceled_at", end}, {"cancel_at_period_end", stored.terms.cancels_at_period_end}};
    if (!stored.terms.latest_invoice.empty()) object["latest_invoice"] = stored.terms.latest_invoice;
    object["metadata"] = json::object{{"userId", stored.user_id.text()}};
    object["items"] = json::object{{"object", "list"}, {"data", std::move(items)}, {"has_more", false}};
    return object;
}

} // namespace billing
