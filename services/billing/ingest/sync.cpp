#include "ingest/sync.hpp"

#include "domain/event_fields.hpp"
#include "domain/own_event.hpp"
#include "domain/payment_fields.hpp"
#include "domain/sync.hpp"
#include "ingest/own_events.hpp"
#include "ingest/publish.hpp"
#include "jobs/queue.hpp"
#include "storage/entitlements.hpp"
#include "storage/event_archive.hpp"
#include "storage/settings.hpp"
#include "storage/subscriptions.hpp"
#include "storage/sync_requests.hpp"
#include "storage/user_erasure.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

namespace billing::ingest {

namespace {

namespace json = boost::json;

/// The maximum number of purchases in one SYNC. It bounds the payload of the event.
constexpr std::size_t max_purchases = 500;

// --- requests

/// The environment whose objects the API key sees; nullopt if the key does not say so.
std::optional<core::Environment> environment_of(core::Secret const& api_key)
{
    std::string_view const key = api_key.reveal();
    for (std::string_view const kind : {"sk_", "rk_"}) {
        if (!key.starts_with(kind)) continue;
        if (key.substr(kind.size()).starts_with("test_")) return core::Environment::sandbox;
        if (key.substr(kind.size()).starts_with("live_")) return core::Environment::production;
    }
    return std::nullopt;
}

std::optional<core::Environment> environment_of(json::value const& subscription)
{
    return payment_fields::environment_of(payment_fields::find(&subscription, "livemode"));
}

bool is_listed(std::vector<json::value> const& subscriptions, std::string const& id)
{
    return std::ranges::any_of(subscriptions,
        [&](json::value const& subscription) { return event_fields::text_if_any(subscription, "id") == id; });
}

/// Adds `metadata.userId` to a stored subscription of the user if the provider does not have it any more.
void name_user(json::value& subscription, core::UserId const& user_id)
{
    auto& members = subscription.as_object();
    auto& metadata = members["metadata"];
    if (!metadata.is_object()) metadata.emplace_object();
    if (!event_fields::text_if_any(metadata, "userId")) metadata.get_object()["userId"] = user_id.text();
}

void require_valid(std::vector<json::value> const& subscriptions)
{
    for (auto const& subscription : subscriptions)
        if (!parse_fetched_subscription(subscription, EventOrder()).faults.empty())
            throw ProviderApiError(ProviderApiError::Kind::nonsense, "a subscription is malformed");
}

// --- storing

/// What a sync changed, by entitlement. An entitlement that was written several times has one change.
std::vector<EntitlementChange> summary_of(std::vector<EntitlementChange> changes)
{
    std::map<core::Uuid, EntitlementChange> merged;
    for (auto& change : changes) {
        auto const id = change.to.id;
        auto const [it, is_first] = merged.try_emplace(id, change);
        if (!is_first) it->second.to = std::move(change.to);
    }
    std::vector<EntitlementChange> summary;
    for (auto& [id, change] : merged)
        if (is_changed_by_sync(change)) summary.push_back(std::move(change));
    return summary;
}

/// Stores a sync of one user in one environment.
class ScopeSync {
public:
    ScopeSync(pg::Tx& tx, SyncContext const& context, core::Scope scope, AccessSettings const& settings)
        : tx_(tx), context_(context), scope_(std::move(scope)), own_{scope_.id, settings, context.now}
    {
    }

    /// `request`: the request that this sync has completed, if any. It is made again if an event has arrived
    /// since the provider was asked, because the sync leaves the entitlements of that event unchanged.
    void apply(FetchedPurchases const& fetched, std::optional<sync_requests::SyncRequest> const& request)
    {
        auto const& user = context_.lease.user_id;
        auto const stored = entitlements::of_source(tx_, scope_.id, user, Source::purchases);
        bool const has_changed = std::ranges::any_of(
            stored, [&](Entitlement const& e) { return e.updated_at >= context_.sent_at; });
        if (request && has_changed)
            sync_requests::insert(tx_, scope_.id, Source::purchases, std::span(&*request, 1));
        SyncTimes const times{.asked_at = fetched.asked_at,
            .watermark = fetched.watermark,
            .sent_at = context_.sent_at,
            .moved_at = request ? request->ended_at : std::nullopt};
        auto found = decide_sync(scope_.id, user, fetched.subscriber, stored, times).purchases;
        if (!context_.confirms)
            std::erase_if(
                found, [&](PurchaseEvent const& event) { return is_confirmation(scope_.id, event, stored); });
        std::vector<EntitlementChange> changes;
        for (std::size_t from = 0; from < found.size(); from += max_purchases) {
            auto const begin = found.begin() + static_cast<std::ptrdiff_t>(from);
            auto const count = std::min(max_purchases, found.size() - from);
            std::vector<PurchaseEvent> part(
                std::move_iterator(begin), std::move_iterator(begin + static_cast<std::ptrdiff_t>(count)));
            std::ranges::move(archive(std::move(part)), std::back_inserter(changes));
        }
        changes = summary_of(std::move(changes));
        publish_changes(tx_, scope_.id, own_.settings, context_.traceparent, changes, context_.now);
        add(std::move(changes));
    }

    void apply(FetchedPayments const& fetched)
    {
        auto objects = fetched.subscriptions;
        for (auto const& missing : fetched.missing)
            if (auto ended = end(missing, fetched.asked_at)) objects.push_back(*std::move(ended));
        FetchTimes const times{.watermark = fetched.watermark, .sent_at = context_.sent_at};
        add(summary_of(apply_fetched(tx_, scope_, objects, times, context_.traceparent)));
    }

    SyncResult result() && { return {std::move(scope_), own_.settings, std::move(changes_)}; }

private:
    /// Archives and applies a SYNC of these purchases.
    std::vector<EntitlementChange> archive(std::vector<PurchaseEvent> purchases)
    {
        auto at = core::Time::min();
        for (auto const& purchase : purchases)
            at = std::max(at, purchase.fact.order.at);
        auto event = new_own_event(scope_.id, sync_type, context_.lease.user_id, at);
        event.named_users = {context_.lease.user_id};
        for (auto& purchase : purchases)
            purchase.fact.order.event_id = event.id;
        event.data = SyncEvent{std::move(purchases)};
        auto payload = own_payload(event);
        return ingest_own(tx_, own_, std::move(event), std::move(payload)).changes;
    }

    /// A subscription of this environment that the provider does not know, as one that has ended. nullopt if
    /// it has changed since the request.
    std::optional<json::value> end(KnownSubscription const& missing, core::Time at)
    {
        if (missing.environment != scope_.environment()) return std::nullopt;
        auto const stored = subscriptions::find(tx_, scope_.id, missing.id);
        bool const is_same = stored && stored->user_id == context_.lease.user_id &&
                             stored->updated_at < context_.sent_at && !is_final(stored->status);
        return is_same ? std::optional(ended_subscription(*stored, missing.environment, at)) : std::nullopt;
    }

    void add(std::vector<EntitlementChange> changes)
    {
        std::ranges::move(changes, std::back_inserter(changes_));
    }

    pg::Tx& tx_;
    SyncContext const& context_;
    core::Scope scope_;
    OwnEventContext own_;
    std::vector<EntitlementChange> changes_;
};

/// Ends the lease. A user who is still overdue must not be synced in a loop.
void end_lease(pg::Tx& tx, syncs::Lease const& lease, bool has_purchases)
{
    if (!has_purchases) {
        syncs::release(tx, lease);
        return;
    }
    auto const now = jobs::now(tx);
    if (auto const wait = syncs::wait_after_sync(tx, lease.tenant_id, lease.user_id, now))
        syncs::release(tx, lease, now + *wait);
    else
        syncs::complete(tx, lease);
}

} // namespace

SyncStart start_sync(pg::Tx& tx, core::TenantId tenant_id, core::UserId const& user_id)
{
    SyncStart start{.user_id = user_id, .sent_at = event_archive::now(tx), .subscriptions = {}};
    for (auto const scope_id : core::scopes_of(tenant_id)) {
        for (auto& stored : subscriptions::about_user(tx, scope_id, user_id)) {
            if (stored.user_id != user_id || is_final(stored.status)) continue;
            if (start.subscriptions.size() == max_known_subscriptions) break;
            start.subscriptions.push_back({core::environment_of(scope_id), std::move(stored.id)});
        }
    }
    return start;
}

FetchedPurchases fetch_purchases(PurchasesApi const& api, SyncStart const& start, core::Secret const& api_key,
    core::Clock const& clock, std::stop_token const& stop, std::string const& traceparent)
{
    auto const asked_at = clock.now();
    auto subscriber = api.fetch(start.user_id, api_key, stop, traceparent);
    auto const watermark = watermark_of(subscriber.requested_at, asked_at);
    return {.subscriber = std::move(subscriber), .asked_at = asked_at, .watermark = watermark};
}

FetchedPayments fetch_payments(
    PaymentsApi const& api, SyncStart const& start, PaymentsCall const& call, core::Clock const& clock)
{
    FetchedPayments fetched{.subscriptions = {}, .missing = {}, .asked_at = clock.now(), .watermark = {}};
    auto found = api.search(start.user_id, call);
    fetched.watermark = watermark_of(found.platform_time, fetched.asked_at);
    fetched.subscriptions = std::move(found.subscriptions);
    auto const of_key = environment_of(call.api_key);
    for (auto const& known : start.subscriptions) {
        if (is_listed(fetched.subscriptions, known.id)) continue;
        if (of_key && *of_key != known.environment) continue;
        auto one = api.retrieve(known.id, call);
        if (!one) {
            fetched.missing.push_back(known);
            continue;
        }
        name_user(one->subscription, start.user_id);
        fetched.subscriptions.push_back(std::move(one->subscription));
    }
    require_valid(fetched.subscriptions);
    std::erase_if(fetched.missing, [&](KnownSubscription const& known) {
        return !of_key && std::ranges::none_of(fetched.subscriptions, [&](json::value const& subscription) {
            return environment_of(subscription) == known.environment;
        });
    });
    return fetched;
}

std::optional<audit::Entry> SyncResult::audit_entry(core::UserId const& user_id) const
{
    if (changes.empty()) return std::nullopt;
    json::object before, after;
    for (auto const& change : changes) {
        auto const id = change.to.id.to_string();
        if (change.from) before[id] = to_string(shown_status(change.from->status, settings));
        after[id] = to_string(shown_status(change.to.status, settings));
    }
    return audit::Entry{.action = "entitlements.synced",
        .subject_type = "user",
        .subject_id = user_id.text(),
        .before = std::move(before),
        .after = std::move(after)};
}

std::array<SyncResult, 2> apply_sync(pg::Tx& tx, SyncContext const& context, FetchedState const& fetched)
{
    auto const tenant_id = context.lease.tenant_id;
    auto const& user_id = context.lease.user_id;
    auto const production = core::Scope::of(tenant_id, core::Environment::production, {});
    auto const sandbox = core::Scope::of(tenant_id, core::Environment::sandbox, {});
    pg::lock_scope(tx, production.id);
    pg::lock_scope(tx, sandbox.id);
    auto const settings = settings::read_access_settings(tx, production);
    auto const apply_in = [&](core::Scope const& scope) {
        auto const complete = [&](Source source) {
            return sync_requests::complete(tx, scope.id, user_id, source, context.sent_at);
        };
        auto const request = fetched.purchases ? complete(Source::purchases) : std::nullopt;
        if (fetched.payments) complete(Source::payments);
        ScopeSync sync(tx, context, scope, settings);
        if (!user_erasure::is_deleted(tx, scope.id, user_id)) {
            if (fetched.purchases) sync.apply(*fetched.purchases, request);
            if (fetched.payments) sync.apply(*fetched.payments);
        }
        return std::move(sync).result();
    };
    auto first = apply_in(production);
    auto second = apply_in(sandbox);
    end_lease(tx, context.lease, fetched.purchases.has_value());
    return {std::move(first), std::move(second)};
}

} // namespace billing::ingest
