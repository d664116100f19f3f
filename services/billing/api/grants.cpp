#include "api/grants.hpp"

#include "api/access_settings.hpp"
#include "api/user_id.hpp"
#include "audit/audit.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json_writer.hpp"
#include "domain/entitlement_view.hpp"
#include "domain/own_event.hpp"
#include "idempotency/once.hpp"
#include "ingest/own_events.hpp"
#include "ingest/publish.hpp"
#include "storage/entitlements.hpp"
#include "storage/products.hpp"
#include "storage/user_erasure.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace billing {

namespace {

namespace json = boost::json;

constexpr std::size_t max_reason = 200;

struct NewGrant {
    core::Uuid product_id;
    std::optional<core::Time> expires_at;
    std::optional<std::string> reason;
};

NewGrant parse_grant(http::Request const& req, core::Time now)
{
    core::Fields f(req.json());
    NewGrant d;
    auto const product = f.text("productId", 1, core::Uuid::text_size);
    auto const id = core::Uuid::parse(product);
    if (!id)
        f.fault("productId", "format",
            "must be the productId of a product, a UUID"); // fault() keeps an earlier error of this field
    d.product_id = id.value_or(core::Uuid());
    d.expires_at = f.optional_time("expiresAt");
    if (d.expires_at && *d.expires_at <= now) f.fault("expiresAt", "range", "must be in the future");
    d.reason = f.optional_text("reason", 1, max_reason);
    f.check();
    return d;
}

products::Product product_of(pg::Tx& tx, http::Request const& req, NewGrant const& grant)
{
    auto found = products::get(tx, req.scope(), grant.product_id);
    if (!found)
        throw core::Error::validation(
            {{"/productId", "unknown", "must be the productId of a product in the catalog"}});
    return *std::move(found);
}

/// Each grant of a consumable is a new entitlement. A product of another kind has one manual entitlement per
/// user. `save` sets the position of the event.
PurchaseEvent granted(
    core::UserId const& user_id, products::Product const& product, NewGrant const& grant, core::Time now)
{
    PurchaseEvent event{.source = Source::manual, .user_id = user_id, .product = product.provider_product_id};
    if (product.kind == products::Kind::consumable) event.purchase_id = core::Uuid::v7().to_string();
    event.fact.type = PurchaseEventType::grant;
    event.fact.purchased_at = now;
    event.fact.expires_at = grant.expires_at;
    event.fact.reason = grant.reason;
    return event;
}

/// The end of a grant. `save` sets the position of the event.
PurchaseEvent revoked(Entitlement const& e)
{
    PurchaseEvent event{.source = Source::manual,
        .user_id = e.user_id,
        .product = e.provider_product_id,
        .purchase_id = e.transaction_id};
    event.fact.type = PurchaseEventType::revoke;
    return event;
}

core::Uuid entitlement_id_of(core::ScopeId scope_id, PurchaseEvent const& event)
{
    return entitlement_id(scope_id, event.source, event.user_id, event.product, event.purchase_id);
}

/// `order`, moved after the position of the stored state if it is not later. So the last request decides,
/// even if clocks differ or two requests have the same time.
EventOrder after_stored(EventOrder order, std::optional<Entitlement> const& before)
{
    if (!before) return order;
    order.at = std::max(order.at, before->last.at);
    if (order <= before->last) order.at += std::chrono::microseconds(1);
    return order;
}

json::object to_object(Entitlement const& e)
{
    return {{"userId", e.user_id.text()}, {"providerProductId", e.provider_product_id},
        {"status", to_string(e.status)},
        {"expiresAt", e.expires_at ? json::value(core::to_rfc3339(*e.expires_at)) : json::value(nullptr)},
        {"reason", e.reason ? json::value(*e.reason) : json::value(nullptr)}};
}

/// Adds an audit entry. Call it last in the transaction (see audit::record).
void record(pg::Tx& tx, http::Request const& req, PurchaseEventType type,
    std::optional<Entitlement> const& before, Entitlement const& after)
{
    audit::record(tx, req.context,
        {.action = type == PurchaseEventType::grant ? "grant.created" : "grant.deleted",
            .subject_type = "entitlement",
            .subject_id = after.id.to_string(),
            .before = before ? std::optional<json::value>(to_object(*before)) : std::nullopt,
            .after = to_object(after)});
}

/// Applies and archives the event, publishes the change, and returns the entitlement. The caller holds the
/// scope's lock.
Entitlement save(pg::Tx& tx, http::Request const& req, AccessSettings const& settings,
    std::optional<Entitlement> const& before, PurchaseEvent purchase, core::Time now)
{
    auto const scope_id = req.scope().id;
    auto const id = entitlement_id_of(scope_id, purchase);
    auto const user_id = purchase.user_id;
    auto& fact = purchase.fact;
    auto event = ingest::new_own_event(scope_id, to_string(fact.type), user_id, now);
    fact.order = after_stored({.at = now,
                                  .rank = rank_of(fact.type),
                                  .period_end = fact.expires_at.value_or(core::Time::max()),
                                  .event_id = event.id},
        before);
    event.at = fact.order.at;
    event.data = std::move(purchase);
    auto payload = own_payload(event);
    auto const applied = ingest::ingest_own(
        tx, {.scope_id = scope_id, .settings = settings, .now = now}, std::move(event), std::move(payload));
    ingest::publish_changes(tx, scope_id, settings, req.context.traceparent, applied.changes, now);
    return entitlements::get(tx, req.scope(), user_id, id).value();
}

http::Response create(pg::Tx& tx, http::Request const& req, AccessSettings const& settings,
    NewGrant const& grant, core::Time now)
{
    auto const user_id = user_id_of(req);
    auto const product = product_of(tx, req, grant);
    pg::lock_scope(tx, req.scope().id);
    if (user_erasure::is_deleted(tx, req.scope().id, user_id))
        throw core::Error(core::codes::not_found,
            "The account of this user was deleted. Grant the entitlement to another user.");
    auto event = granted(user_id, product, grant, now);
    auto const before = entitlements::get(tx, req.scope(), user_id, entitlement_id_of(req.scope().id, event));
    auto const e = save(tx, req, settings, before, std::move(event), now);
    core::JsonWriter w(1024);
    auto const views = entitlements::join_catalog(tx, req.scope(), {e});
    write_entitlement(w, views.front(), req.scope().environment(), settings, now);
    record(tx, req, PurchaseEventType::grant, before, e);
    auto response = http::Response::created(std::move(w).str());
    response.about_user = user_id.text();
    return response;
}

} // namespace

asio::awaitable<http::Response> create_grant(http::Request const& req, Deps& deps)
{
    user_id_of(req);
    core::Time const now = deps.clock.now();
    NewGrant const grant = parse_grant(req, now);
    auto const settings = co_await access_settings_of(req, deps);
    co_return co_await idempotency::once(
        deps.db, req, [&](pg::Tx& tx) { return create(tx, req, settings, grant, now); });
}

asio::awaitable<http::Response> delete_grant(http::Request const& req, Deps& deps)
{
    auto const id = req.uuid_param("entitlementId");
    core::Time const now = deps.clock.now();
    auto const settings = co_await access_settings_of(req, deps);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        pg::lock_scope(tx, req.scope().id);
        auto const before = entitlements::get(tx, req.scope(), user_id_of(req), id);
        if (!before || before->source != Source::manual)
            throw core::Error(core::codes::not_found, "This user has no manual entitlement with this id. "
                                                      "Check the id, the user and the environment.");
        if (before->status != Status::expired) {
            auto const after = save(tx, req, settings, before, revoked(*before), now);
            record(tx, req, PurchaseEventType::revoke, before, after);
        }
        return http::Response::deleted();
    });
}

} // namespace billing
