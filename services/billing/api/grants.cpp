#include "api/grants.hpp"

#include "api/user_id.hpp"
#include "audit/audit.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json_writer.hpp"
#include "domain/entitlement_view.hpp"
#include "idempotency/once.hpp"
#include "ingest/publish.hpp"
#include "storage/entitlements.hpp"
#include "storage/products.hpp"
#include "storage/user_erasure.hpp"

#include <array>

namespace billing {

namespace {

namespace json = boost::json;

constexpr std::size_t max_reason = 200;
constexpr std::string_view granted = "GRANT", revoked = "REVOKE"; // values of `lastEventType`

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

/// Each grant of a consumable is a new entitlement. A subscription product has one manual entitlement per
/// user.
Entitlement entitlement_of(core::Scope const& scope, core::UserId const& user_id,
    products::Product const& product, NewGrant const& grant, core::Time now)
{
    Entitlement e;
    e.user_id = user_id;
    e.source = Source::manual;
    e.provider_product_id = product.provider_product_id;
    if (product.kind == products::Kind::consumable) e.transaction_id = core::Uuid::v7().to_string();
    e.id = entitlement_id(scope.id, e.source, user_id, e.provider_product_id, e.transaction_id);
    e.status = Status::active;
    e.purchased_at = now;
    e.expires_at = grant.expires_at;
    e.reason = grant.reason;
    return e;
}

json::object to_object(Entitlement const& e)
{
    return {{"userId", e.user_id.text()}, {"providerProductId", e.provider_product_id},
        {"status", to_string(e.status)},
        {"expiresAt", e.expires_at ? json::value(core::to_rfc3339(*e.expires_at)) : json::value(nullptr)},
        {"reason", e.reason ? json::value(*e.reason) : json::value(nullptr)}};
}

/// Writes the entitlement, publishes the event, and adds an audit entry. Call it last in the transaction (see
/// audit::record).
void save(pg::Tx& tx, http::Request const& req, std::string_view type,
    std::optional<Entitlement> const& before, Entitlement& e, core::Time now)
{
    e.last_event_type = type;
    e.last = EventOrder{.at = now, .period_end = e.expires_at.value_or(core::Time::max()), .event_id = {}};
    e.updated_at = set_by_database;
    if (before) {
        e.created_at = before->created_at;
        e.revision = before->revision;
    }
    entitlements::upsert(tx, req.scope().id, e);
    std::array const changes{EntitlementChange{before, e}};
    ingest::publish_changes(tx, req.scope().id, req.context.traceparent, changes, now);
    audit::record(tx, req.context,
        {.action = type == granted ? "grant.created" : "grant.deleted",
            .subject_type = "entitlement",
            .subject_id = e.id.to_string(),
            .before = before ? std::optional<json::value>(to_object(*before)) : std::nullopt,
            .after = to_object(e)});
}

http::Response create(pg::Tx& tx, http::Request const& req, NewGrant const& grant, core::Time now)
{
    auto const user_id = user_id_of(req);
    auto const product = product_of(tx, req, grant);
    pg::lock_scope(tx, req.scope().id);
    if (user_erasure::is_deleted(tx, req.scope().id, user_id))
        throw core::Error(core::codes::not_found,
            "The account of this user was deleted. Grant the entitlement to another user.");
    Entitlement e = entitlement_of(req.scope(), user_id, product, grant, now);
    auto const before = entitlements::get(tx, req.scope(), e.user_id, e.id);
    save(tx, req, granted, before, e, now);
    core::JsonWriter w(640);
    auto const views = entitlements::join_catalog(tx, req.scope(), {e});
    write_entitlement(w, views.front(), req.scope().environment(), now);
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
    co_return co_await idempotency::once(
        deps.db, req, [&](pg::Tx& tx) { return create(tx, req, grant, now); });
}

asio::awaitable<http::Response> delete_grant(http::Request const& req, Deps& deps)
{
    auto const id = req.uuid_param("entitlementId");
    core::Time const now = deps.clock.now();
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        pg::lock_scope(tx, req.scope().id);
        auto const before = entitlements::get(tx, req.scope(), user_id_of(req), id);
        if (!before || before->source != Source::manual)
            throw core::Error(core::codes::not_found, "This user has no manual entitlement with this id. "
                                                      "Check the id, the user and the environment.");
        if (before->status != Status::expired) {
            Entitlement e = *before;
            e.status = Status::expired;
            save(tx, req, revoked, before, e, now);
        }
        return http::Response::deleted();
    });
}

} // namespace billing
