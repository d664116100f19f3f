#include "ingest/fetched_subscriptions.hpp"

#include "auth/erased_user_rows.hpp"
#include "domain/named_users.hpp"
#include "domain/own_event.hpp"
#include "domain/subscription_entitlements.hpp"
#include "domain/sync.hpp"
#include "ingest/ingest_batch.hpp"
#include "ingest/own_events.hpp"
#include "ingest/publish.hpp"
#include "jobs/queue.hpp"
#include "pg/tx_batch.hpp"
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
    core::Environment environment, std::span<json::value const> objects, FetchedCounts& counts)
{
    std::map<std::string, Fetched> found;
    for (auto const& object : objects) {
        auto const parsed = parse_fetched_subscription(object, EventOrder());
        auto const& event = parsed.event;
        if (event.environment && *event.environment != environment) continue;
        ++counts.processed;
        if (!parsed.faults.empty())
            ++counts.failed;
        else if (auto const* data = std::get_if<SubscriptionEvent>(&event.data))
            found.insert_or_assign(data->subscription_id, Fetched{&object, *data});
    }
    return found;
}

void remove_deleted_users(pg::Tx& tx, core::ScopeId scope_id, std::map<std::string, Fetched>& fetched)
{
    if (fetched.empty()) return;
    std::vector<std::string> users;
    users.reserve(fetched.size());
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
    ids.reserve(fetched.size());
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

/// A fetched state that differs from the stored one, as an event SYNC.
struct News {
    Event event;
    std::string payload; ///< for the archive
};

News news_of(core::ScopeId scope_id, Fetched const& fetched, EventOrder order)
{
    auto const own = new_own_event(scope_id, sync_type, fetched.event.user_id, order.at);
    order.event_id = own.id;
    auto event = parse_fetched_subscription(*fetched.object, order).event;
    event.named_users = named_users(Provider::payments, *fetched.object);
    auto payload = own_payload(event, *fetched.object);
    return {std::move(event), std::move(payload)};
}

/// The subscriptions whose state differs from the stored one. Takes the scope's lock.
std::vector<News> find_news(pg::Tx& tx, core::Scope const& scope, std::span<json::value const> objects,
    FetchTimes const& times, FetchedCounts& counts)
{
    std::vector<News> news;
    auto fetched = parse(scope.environment(), objects, counts);
    if (fetched.empty()) return news;
    pg::lock_scope(tx, scope.id);
    remove_deleted_users(tx, scope.id, fetched);
    auto const stored = stored_states(tx, scope.id, fetched);
    for (auto const& [id, one] : fetched) {
        auto const it = stored.find(id);
        auto const before = it == stored.end() ? std::nullopt : std::optional(it->second);
        auto const order = order_after(before, times);
        if (before && (!is_later(order, before->order) || is_unchanged(scope.id, *before, one.event)))
            continue;
        news.push_back(news_of(scope.id, one, order));
    }
    counts.changed = news.size();
    return news;
}

/// Archives and applies the events one after the other.
std::vector<EntitlementChange> apply(
    pg::Tx& tx, OwnEventContext const& context, std::vector<News> news, std::string const& traceparent)
{
    std::vector<EntitlementChange> changes;
    for (auto& [event, payload] : news)
        std::ranges::move(ingest_own(tx, context, std::move(event), std::move(payload)).changes,
            std::back_inserter(changes));
    publish_changes(tx, context.scope_id, context.settings, traceparent, changes, context.now);
    return changes;
}

IncomingEvent incoming_of(OwnEventContext const& context, News const& news, std::string const& traceparent)
{
    return {.scope_id = context.scope_id,
        .archive_id = core::Uuid::parse(news.event.id).value(),
        .event = news.event,
        .body = news.payload,
        .access_settings = context.settings,
        .now = context.now,
        .traceparent = traceparent};
}

/// Archives and applies events together. Returns the events that a batch cannot ingest.
std::vector<News> apply_together(
    pg::Tx& tx, OwnEventContext const& context, std::vector<News> news, std::string const& traceparent)
{
    std::vector<IncomingEvent> events;
    events.reserve(news.size());
    for (auto const& each : news)
        events.push_back(incoming_of(context, each, traceparent));
    auto const outcomes = pg::run_batch<IncomingEvent, std::optional<EventOutcome>>(tx, events, ingest_batch);
    std::vector<News> rest;
    for (std::size_t i = 0; i < news.size(); ++i)
        if (!outcomes[i]) rest.push_back(std::move(news[i]));
    return rest;
}

OwnEventContext context_of(pg::Tx& tx, core::Scope const& scope)
{
    return {scope.id, settings::read_access_settings(tx, scope), jobs::now(tx)};
}

} // namespace

std::vector<EntitlementChange> apply_fetched(pg::Tx& tx, core::Scope const& scope,
    std::span<json::value const> objects, FetchTimes const& times, std::string const& traceparent)
{
    FetchedCounts counts;
    auto news = find_news(tx, scope, objects, times, counts);
    if (news.empty()) return {};
    return apply(tx, context_of(tx, scope), std::move(news), traceparent);
}

FetchedCounts apply_many_fetched(pg::Tx& tx, core::Scope const& scope, std::span<json::value const> objects,
    FetchTimes const& times, std::string const& traceparent)
{
    FetchedCounts counts;
    auto news = find_news(tx, scope, objects, times, counts);
    if (news.empty()) return counts;
    auto const context = context_of(tx, scope);
    apply(tx, context, apply_together(tx, context, std::move(news), traceparent), traceparent);
    return counts;
}

} // namespace billing::ingest
