#include "ingest/fetched_subscriptions.hpp"

#include "auth/erased_user_rows.hpp"
#include "domain/named_users.hpp"
#include "domain/own_event.hpp"
#include "domain/subscription_entitlements.hpp"
#include "domain/sync.hpp"
#include "ingest/own_events.hpp"
#include "ingest/publish.hpp"
#include "jobs/queue.hpp"
#include "storage/settings.hpp"
#include "storage/syncs.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace billing::ingest {

namespace {

namespace json = boost::json;
using std::chrono::seconds;

/// A fetched subscription that names a user. Its `event.order` is not set yet.
struct Fetched {
    json::value const* object = nullptr;
    SubscriptionEvent event;
};

/// The subscriptions of an environment, by id. If an object occurs twice, the last one counts.
std::map<std::string, Fetched> parse(
    core::Environment environment, std::span<json::value const> objects, FetchedResult& result)
{
    std::map<std::string, Fetched> found;
    for (auto const& object : objects) {
        auto const parsed = parse_fetched_subscription(object, EventOrder());
        auto const& event = parsed.event;
        if (event.environment && *event.environment != environment) continue;
        ++result.processed;
        if (!parsed.faults.empty())
            ++result.failed;
        else if (auto const* data = std::get_if<SubscriptionEvent>(&event.data))
            found.insert_or_assign(data->subscription_id, Fetched{&object, *data});
    }
    return found;
}

void remove_deleted_users(pg::Tx& tx, core::ScopeId scope_id, std::map<std::string, Fetched>& fetched)
{
    if (fetched.empty()) return;
    std::vector<std::string> users;
    for (auto const& [id, one] : fetched)
        users.push_back(one.event.user_id.text());
    auto const were_erased = auth::erased_user_rows::were_erased(tx, scope_id, users);
    std::size_t i = 0;
    std::erase_if(fetched, [&](auto const&) { return were_erased[i++]; });
}

std::map<std::string, Subscription> stored_states(
    pg::Tx& tx, core::ScopeId scope_id, std::map<std::string, Fetched> const& fetched)
{
    std::vector<std::string> ids;
    for (auto const& [id, one] : fetched)
        ids.push_back(id);
    std::map<std::string, Subscription> stored;
    for (auto& subscription : syncs::subscriptions_by_id(tx, scope_id, ids))
        stored.emplace(subscription.id, std::move(subscription));
    return stored;
}

/// The position of the fetched state. The provider's times are whole seconds, so an event of the same second
/// may have happened after the request. Therefore the fetched state counts as that of the second before.
EventOrder order_after(std::optional<Subscription> const& stored, FetchTimes const& times)
{
    auto const before = std::chrono::floor<seconds>(times.watermark) - seconds(1);
    if (!stored) return order_of_sync(before, times.sent_at, std::nullopt, {});
    auto last = stored->order;
    if (!stored->paid.empty()) last = std::max(last, stored->paid.back().order);
    return order_of_sync(before, times.sent_at, last, stored->updated_at);
}

/// Whether the user's entitlements from both are the same, except the event that decided them.
bool have_same_effect(core::ScopeId scope_id, Subscription const& a, Subscription const& b)
{
    auto const of_a = entitlements_of(scope_id, a.user_id, std::span(&a, 1));
    auto of_b = entitlements_of(scope_id, a.user_id, std::span(&b, 1));
    return std::ranges::equal(of_a, of_b, [](Entitlement const& x, Entitlement& y) {
        y.last_event_type = x.last_event_type;
        y.last = x.last;
        return !differs(x, y);
    });
}

/// Whether the fetched state is the stored one. An invoice that was paid after the subscription's last event
/// is part of the stored state; the fetched state must have the same effect without it.
bool is_unchanged(core::ScopeId scope_id, Subscription const& stored, SubscriptionEvent const& fetched)
{
    auto event = fetched;
    event.order = stored.order;
    event.order.at = core::Time::max(); // later than all invoices, so that they are dropped
    auto after = after_event(stored, event);
    after.type = stored.type;
    after.order = stored.order;
    auto without_invoices = stored;
    without_invoices.paid.clear();
    if (!same_state(without_invoices, after)) return false;
    return stored.paid.empty() || have_same_effect(scope_id, stored, after);
}

bool is_later(EventOrder const& a, EventOrder const& b)
{
    return std::tie(a.at, a.rank) > std::tie(b.at, b.rank);
}

/// Archives the fetched state as an event, and applies it.
std::vector<EntitlementChange> apply(
    pg::Tx& tx, OwnEventContext const& context, Fetched const& fetched, EventOrder order)
{
    auto const own = new_own_event(context.scope_id, sync_type, fetched.event.user_id, order.at);
    order.event_id = own.id;
    auto event = parse_fetched_subscription(*fetched.object, order).event;
    event.named_users = named_users(Provider::payments, *fetched.object);
    auto payload = own_payload(event, *fetched.object);
    return ingest_own(tx, context, std::move(event), std::move(payload)).changes;
}

} // namespace

FetchedResult apply_fetched(pg::Tx& tx, core::Scope const& scope, std::span<json::value const> objects,
    FetchTimes const& times, std::string const& traceparent)
{
    FetchedResult result;
    auto fetched = parse(scope.environment(), objects, result);
    if (fetched.empty()) return result;
    pg::lock_scope(tx, scope.id);
    remove_deleted_users(tx, scope.id, fetched);
    auto const stored = stored_states(tx, scope.id, fetched);
    OwnEventContext const context{scope.id, settings::read_access_settings(tx, scope), jobs::now(tx)};
    for (auto const& [id, one] : fetched) {
        auto const it = stored.find(id);
        auto const before = it == stored.end() ? std::nullopt : std::optional(it->second);
        auto const order = order_after(before, times);
        if (before && (!is_later(order, before->order) || is_unchanged(scope.id, *before, one.event)))
            continue;
        ++result.changed;
        std::ranges::move(apply(tx, context, one, order), std::back_inserter(result.changes));
    }
    publish_changes(tx, scope.id, context.settings, traceparent, result.changes, context.now);
    return result;
}

} // namespace billing::ingest
