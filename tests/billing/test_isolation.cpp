#include "core/joined.hpp"
#include "events.hpp"
#include "routes.hpp"
#include "support/keyed_isolation.hpp"
#include "support/scope_rows.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <array>

// Calls every route with every credential that may not use it, on objects of tenant demo's sandbox. None of
// these calls may read or change data. A route without a probe does not compile.

namespace {

using testing::never, testing::PathValues, testing::Reach;
using enum http::Method;

constexpr auto own_probes = std::to_array<testing::RouteProbe>({
    {post, "/webhooks/purchases", Reach::open, "{}"},
    {post, "/webhooks/payments", Reach::open, "{}"},
    // A token of an app shows its own user. Tests below check the other scopes.
    {get, "/v1/me/entitlements", Reach::own},
    {get, "/v1/me/features/{feature}", Reach::own},
    // User ids belong to the tenant: in another scope the same id has no data.
    {get, "/v1/entitlements", Reach::own},
    {get, "/v1/users/{userId}/entitlements", Reach::person},
    {get, "/v1/users/{userId}/features/{feature}", Reach::person},
    {post, "/v1/users/{userId}/grants", Reach::own,
        R"({"productId":"0190a5d2-0000-7000-8000-0000000000ff"})"},
    {del, "/v1/users/{userId}/grants/{entitlementId}", Reach::object},
    // Both environments of a tenant are synced together.
    {post, "/v1/sync/{userId}", Reach::own},
    {get, "/v1/subscribers", Reach::scope},
    {get, "/v1/stats", Reach::own}, // needs a query
    // A tenant's two environments share products, settings and backfills. Tests below check the other
    // environment.
    {post, "/v1/products", Reach::own, R"({"providerProductId":"x","name":"x","kind":"consumable"})"},
    {get, "/v1/products", Reach::own},
    {get, "/v1/products/{productId}", Reach::own},
    {patch, "/v1/products/{productId}", Reach::own, R"({"name":"x"})"},
    {del, "/v1/products/{productId}", Reach::own},
    {post, "/v1/backfills", Reach::own, R"({"source":"payments"})"},
    {get, "/v1/backfills/{backfillId}", Reach::own},
    {get, "/v1/events", Reach::scope},
    {post, "/v1/events/{eventId}/replay", Reach::object},
    {get, "/v1/settings", Reach::own},
    {patch, "/v1/settings", Reach::own, R"({"purchasesSecret":"x"})"},
});

constexpr auto probes = core::joined(own_probes, testing::audit_probes, testing::webhook_probes,
    testing::user_probes, testing::key_probes(), testing::tenant_probes, testing::reference_probes);

static_assert(testing::covers_every_route(probes, billing::routes),
    "routes.hpp and the probes of the isolation test differ");

/// Routes that write data which both environments share, so only production credentials may call them.
constexpr auto shared_writes = std::to_array<testing::RouteProbe>({
    {post, "/v1/products", Reach::own, R"({"providerProductId":"x","name":"x","kind":"consumable"})"},
    {patch, "/v1/products/{productId}", Reach::own, R"({"name":"x"})"},
    {del, "/v1/products/{productId}", Reach::own},
    {patch, "/v1/settings", Reach::own, R"({"pastDueIsActive":true,"paymentsApiKey":"sk_test_x"})"},
    {post, "/v1/backfills", Reach::own, R"({"source":"payments"})"}, // needs the setting before it
});

static_assert(testing::are_production_only(shared_writes, billing::routes),
    "routes.hpp and the list of production-only routes differ");

/// The tables of the tenant, which both environments share, except the leases of syncs.
constexpr std::array tenant_tables{"products", "backfills"};

/// All rows of the scope, and the rows of its tenant. Omitted: jobs, deliveries of webhooks, and the time
/// when a key was last used.
std::string rows_of(World const& world, std::string const& scope_id)
{
    auto rows = testing::rows_of_scope(world.postgres, scope_id, testing::what_callers_do());
    for (std::string const table : tenant_tables)
        rows += testing::rows_of_tenant(world.postgres, table, scope_id);
    return rows;
}

/// Rows of the tenant that the service writes for its workers, and a deferred event. Returns the id of the
/// backfill.
std::string insert_work(World const& world)
{
    auto const tenant_id = world.scope_id() + " / 2";
    world.postgres.query(
        "INSERT INTO sync_requests (scope_id, user_id, source, requested_at, repeated_at) VALUES (" +
        world.scope_id() + ", 'marker-other', 'purchases', now(), now())");
    world.postgres.query("INSERT INTO deferred_events (scope_id, received_at, archive_id) VALUES (" +
                         world.scope_id() + ", 'infinity', gen_random_uuid())");
    return world.postgres.query(R"(
        INSERT INTO backfills (tenant_id, backfill_id, source, status, progress_at, completed_at, traceparent)
        VALUES ()" + tenant_id + R"(, gen_random_uuid(), 'payments', 'done', now(), now(), '')
        RETURNING backfill_id)");
}

/// The objects of demo's sandbox, by the name of the path parameter.
PathValues make_objects(World const& world)
{
    auto backend = world.as_backend();
    PathValues objects;
    auto const product = require(201,
        world.as_master("demo-sandbox")
            .post("/v1/products",
                R"({"providerProductId":"marker.pro","name":"marker","kind":"subscription","features":["marker"]})"));
    objects["productId"] = text(product.json(), "productId");
    auto const hook = require(201, backend.post("/v1/webhooks", R"({"url":"https://marker.example.com/"})"));
    objects["webhookId"] = text(hook.json(), "webhookId");
    objects["userId"] = "marker-user";
    objects["feature"] = "marker";
    objects["eventId"] = "marker-event";
    REQUIRE(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE",
                {{"id", "marker-event"}, {"app_user_id", "marker-user"}, {"product_id", "marker.pro"}}))) ==
            "applied");
    REQUIRE(result_of(world.post_payment(events::payment("customer.subscription.created",
                events::subscription({events::item("marker.pro")},
                    {{"metadata", boost::json::object{{"userId", "marker-user"}}}})))) == "applied");
    REQUIRE(result_of(world.post_payment(events::payment(
                "invoice.paid", events::invoice("marker.pro", {{"id", "marker-invoice"}})))) == "applied");
    auto const grant =
        require(201, backend.post("/v1/users/marker-user/grants",
                         R"({"productId":")" + objects["productId"] + R"(","reason":"marker"})"));
    objects["entitlementId"] = text(grant.json(), "entitlementId");
    auto const path = "/v1/webhooks/" + objects["webhookId"];
    auto const deliveries = require(200, backend.get(path + "/deliveries")).json();
    objects["deliveryId"] = text(deliveries.at("items").at(0), "deliveryId");
    require(200, backend.patch(path, R"({"enabled":false})"));
    objects["backfillId"] = insert_work(world);
    return objects;
}

} // namespace

TEST_CASE("no route reads or changes data of another scope", "[billing][isolation]")
{
    World const world;
    auto isolation = testing::isolation_of(world, make_objects(world),
        {{"productId", never}, {"entitlementId", never}, {"eventId", "no-event"}, {"userId", "nobody"},
            {"feature", "nothing"}, {"backfillId", never}});
    isolation.strangers.push_back({"a caller with the purchases secret", world.with("purchases-secret")});
    isolation.secrets = {"marker.pro", "marker-event", "marker-invoice", isolation.ours.at("entitlementId"),
        isolation.ours.at("productId"), isolation.ours.at("prefix")};
    isolation.rows = [&world, scope_id = world.scope_id()] { return rows_of(world, scope_id); };
    CHECK(isolation.breaches(probes, billing::routes) == "");
}

TEST_CASE("sandbox credentials cannot write data that both environments share", "[billing][isolation]")
{
    World const world;
    auto const objects = make_objects(world);
    auto const rows = [&] { return rows_of(world, world.scope_id("demo")); };
    auto const before = rows();
    std::vector<std::pair<std::string, testing::HttpClient>> callers;
    callers.emplace_back("key", world.as_backend("demo-sandbox"));
    callers.emplace_back("admin", world.as_user("ada", "admin", "demo-sandbox"));
    callers.emplace_back("owner", world.as_user("ada", "owner", "demo-sandbox"));
    for (auto& [who, client] : callers) {
        for (auto const& probe : shared_writes) {
            CAPTURE(who, http::to_string(probe.method), probe.path);
            auto const r = testing::call(client, probe, objects);
            CHECK(r.status == 403);
            CHECK(error_of(r) == "FORBIDDEN");
        }
        CHECK(client.get("/v1/settings").status == 200);
        CHECK(client.get("/v1/products").status == 200);
        CHECK(client.get("/v1/backfills/" + objects.at("backfillId")).status == 200);
    }
    CHECK(rows() == before);
}

TEST_CASE("production credentials and the master key can write data that both environments share",
    "[billing][isolation]")
{
    World const world;
    std::vector<std::pair<std::string, testing::HttpClient>> callers;
    callers.emplace_back("key", world.as_backend("demo"));
    callers.emplace_back("admin", world.as_user("ada", "admin", "demo"));
    callers.emplace_back("owner", world.as_user("ada", "owner", "demo"));
    callers.emplace_back("operator", world.as_master("demo"));
    callers.emplace_back("operator, of the sandbox", world.as_master("demo-sandbox"));
    for (auto& [who, client] : callers) {
        PathValues made;
        for (auto const& probe : shared_writes) {
            CAPTURE(who, http::to_string(probe.method), probe.path);
            auto const r = testing::call(client, probe, made);
            CHECK(r.status / 100 == 2);
            if (probe.path == "/v1/products") made["productId"] = text(r.json(), "productId");
        }
        // A tenant has at most one unfinished backfill.
        world.postgres.query("DELETE FROM backfills");
    }
}

TEST_CASE("no call with a sandbox credential changes production", "[billing][isolation]")
{
    World const world;
    auto objects = make_objects(world);
    auto const prefix = world.key("demo").substr(0, 12);
    objects.merge(PathValues{{"environment", "production"}, {"slug", "demo"}, {"prefix", prefix}});
    auto const production = [&] { return rows_of(world, world.scope_id("demo")); };
    CHECK(testing::sandbox_breaches(world, probes, objects, production) == "");
}

TEST_CASE("a user's entitlements are invisible in the other environment and to other tenants",
    "[billing][isolation]")
{
    World const world;
    auto const objects = make_objects(world);
    CHECK(world.entitlements("marker-user").size() == 3);
    std::string const stats = "/v1/stats?from=2026-01-01&to=2026-01-31";
    for (std::string const elsewhere : {"demo", "other", "other-sandbox"}) {
        CAPTURE(elsewhere);
        auto backend = world.as_backend(elsewhere);
        CHECK(world.entitlements("marker-user", elsewhere).empty());
        CHECK(
            backend.get("/v1/entitlements?userId=marker-user").json().at("entitlements").as_array().empty());
        CHECK(backend.get("/v1/users/marker-user/features/marker").json().at("granted") == false);
        CHECK(all_items(backend, "/v1/events").empty());
        CHECK(all_items(backend, "/v1/subscribers").empty());
        CHECK(require(200, backend.get(stats)).body == R"({"days":[],"mrr":[]})");
    }
    CHECK(require(200, world.as_backend().get(stats)).body.find("marker.pro") != std::string::npos);
    for (std::string const tenant : {"other", "other-sandbox"}) {
        auto backend = world.as_backend(tenant);
        auto const path = "/v1/products/" + objects.at("productId");
        CHECK(backend.get(path).status == 404);
        // A sandbox credential cannot write products and does not learn which exist.
        auto const refusal = tenant == "other" ? 404U : 403U;
        CHECK(backend.patch(path, R"({"name":"x"})").status == refusal);
        CHECK(backend.del(path).status == refusal);
        CHECK(all_items(backend, "/v1/products").empty());
        CHECK(backend
                  .post("/v1/users/marker-user/grants", R"({"productId":")" + objects.at("productId") + "\"}")
                  .status != 201);
    }
}

TEST_CASE("an app shows only the entitlements of its user, in one environment of one tenant",
    "[billing][isolation]")
{
    World const world;
    make_objects(world);
    auto const entitlements = [&](std::string const& user, std::string const& tenant) {
        auto const r = require(200, world.as_user(user, "user", tenant).get("/v1/me/entitlements"));
        CHECK(text(r.json(), "userId") == user);
        return r.json().at("entitlements").as_array();
    };
    auto const feature = [&](std::string const& user, std::string const& tenant) {
        return require(200, world.as_user(user, "user", tenant).get("/v1/me/features/marker")).body;
    };
    CHECK(entitlements("marker-user", "demo-sandbox") == world.entitlements("marker-user"));
    CHECK(feature("marker-user", "demo-sandbox").starts_with(R"({"granted":true,)"));
    auto const others = {std::pair("nobody", "demo-sandbox"), std::pair("Marker-user", "demo-sandbox"),
        std::pair("marker-user", "demo"), std::pair("marker-user", "other"),
        std::pair("marker-user", "other-sandbox")};
    for (auto const& [user, tenant] : others) {
        CAPTURE(user, tenant);
        CHECK(entitlements(user, tenant).empty());
        CHECK(feature(user, tenant) == R"({"granted":false,"until":null})");
        // The token is valid at its own host only.
        if (std::string_view(tenant) == "demo-sandbox") continue;
        auto stranger = world.with(world.token(user, "user", tenant));
        CHECK(stranger.get("/v1/me/entitlements").status == 401);
        CHECK(stranger.get("/v1/me/features/marker").status == 401);
    }
}

TEST_CASE("a statement reads and writes only rows of its scopes", "[billing][isolation]")
{
    World const world;
    make_objects(world);
    core::ScopeId const ours{std::stoll(world.scope_id())};
    core::ScopeId const other{std::stoll(world.scope_id("other-sandbox"))};
    testing::ScopedStatements statements(world.postgres, ours, other);
    for (std::string const table :
        {"entitlements", "payment_subscriptions", "payment_references", "events", "event_claims",
            "event_users", "deferred_events", "stats_days", "stats_months", "stats_mrr", "sync_requests"}) {
        INFO(table);
        CHECK_THAT(statements.seen(table, "scope_id = " + core::to_string(ours)),
            Catch::Matches("[1-9][0-9]* 0 0 0"));
    }
    auto const of_tenant = "tenant_id = " + core::to_string(core::tenant_of(ours));
    for (std::string const table : tenant_tables) {
        INFO(table);
        CHECK(statements.seen(table, of_tenant) == "1 1 0 0");
    }
    // The partitions of the archive cannot be read directly.
    CHECK_THROWS(statements.run(ours, "SELECT count(*) FROM events_default"));
    auto const insert = "INSERT INTO event_claims (scope_id, claim, archive_id, received_at) VALUES (" +
                        core::to_string(ours) +
                        ", gen_random_uuid(), gen_random_uuid(), now()) RETURNING scope_id";
    CHECK_THROWS(statements.run(other, insert));
    CHECK_THROWS(statements.run({}, insert));
    CHECK(statements.run(ours, insert) == core::to_string(ours));
}

TEST_CASE("only the subdomain names the tenant", "[billing][isolation]")
{
    World const world;
    auto master = world.as_master();
    testing::HttpClient::Headers const headers{{"X-Tenant-Slug", "other"}, {"X-Tenant-Env", "production"}};
    CHECK(master.get("/v1/events", headers).status == 200);
    CHECK(master.get("/v1/events", {{"Host", "billing.localhost"}, {"X-Tenant-Slug", "demo"}}).status == 404);
    CHECK(master.get("/v1/events", {{"Host", "nobody.billing.localhost"}}).status == 404);
    CHECK(world.with(world.key(), "other-sandbox").get("/v1/events").status == 401);
}

TEST_CASE(
    "a suspended tenant's events are archived, and change nothing until it resumes", "[billing][isolation]")
{
    World const world;
    auto master = world.as_master();
    auto const set = [&](std::string const& status) {
        REQUIRE(master.put("/v1/admin/tenants/demo", body({{"displayName", "Demo"}, {"status", status}}))
                    .status == 200);
    };
    REQUIRE(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "applied");
    auto const before = world.entitlements();
    auto backend = world.as_backend();
    set("suspended");
    CHECK(eventually([&] { return result_of(world.post_purchase(events::purchase("TEST"))) == "deferred"; }));
    auto const next = events::purchase("RENEWAL",
        {{"event_timestamp_ms", events::ms(1)}, {"expiration_at_ms", events::ms(60 * events::day)}});
    CHECK(result_of(world.post_purchase(next)) == "deferred");
    CHECK(result_of(world.post_payment(events::payment("customer.subscription.created",
              events::subscription({events::item("card.pro")})))) == "deferred");
    // Only the operator may read now.
    CHECK(error_of(backend.get("/v1/users/ada/entitlements")) == "TENANT_SUSPENDED");
    auto const path = "/v1/users/ada/entitlements";
    CHECK(require(200, master.get(path)).json().at("entitlements").as_array() == before);
    CHECK(all_items(master, "/v1/events?result=deferred").size() >= 3);
    CHECK(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"), "other-sandbox")) == "applied");
    // A secret is needed as before.
    CHECK(world.client().post("/webhooks/purchases", body(next)).status == 401);
    world.clock.advance(1min);
    CHECK(require(200, master.get(path)).json().at("entitlements").as_array() == before);

    set("active");
    CHECK(eventually([&] {
        world.clock.advance(1min); // until the next search for deferred events
        return require(200, master.get(path)).json().at("entitlements").as_array().size() == 2;
    }));
    CHECK(text(world.entitlement("pro.monthly"), "expiresAt") == events::rfc3339(60 * events::day));
    CHECK(all_items(master, "/v1/events?result=deferred").empty());
    CHECK(world.postgres.query("SELECT count(*) FROM deferred_events") == "0");
}

TEST_CASE("purging a tenant removes all its data, and no data of another tenant", "[billing][isolation]")
{
    World const world;
    make_objects(world);
    for (std::string const tenant : {"demo", "other-sandbox"})
        REQUIRE(
            result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE",
                                              {{"environment", tenant == "demo" ? "PRODUCTION" : "SANDBOX"}}),
                tenant)) == "applied");
    CHECK(testing::breaches_of_purge(world, [&](auto const& scope_id) { return rows_of(world, scope_id); }) ==
          "");
    CHECK(world.entitlements("ada", "other-sandbox").size() == 1);
}
