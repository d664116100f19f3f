#include "events.hpp"
#include "routes.hpp"
#include "testing/isolation.hpp"
#include "testing/scope_rows.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <array>

// Every route is called by everybody who may not use it on what belongs to tenant demo's sandbox: nothing is
// read and nothing is changed. A route without a probe here does not compile.

namespace {

using testing::Isolation, testing::PathValues, testing::Reach;
using enum http::Method;

constexpr auto probes = std::to_array<testing::RouteProbe>({
    {post, "/webhooks/purchases", Reach::open, "{}"},
    {post, "/webhooks/payments", Reach::open, "{}"},
    // A user is whoever the tenant says: elsewhere one of that name has nothing.
    {get, "/v1/entitlements", Reach::own},
    {get, "/v1/users/{userId}/entitlements", Reach::scope},
    {get, "/v1/users/{userId}/features/{feature}", Reach::own},
    {post, "/v1/users/{userId}/grants", Reach::own,
        R"({"productId":"0190a5d2-0000-7000-8000-0000000000ff"})"},
    {del, "/v1/users/{userId}/grants/{entitlementId}", Reach::object},
    // Both environments of a tenant are synced together.
    {post, "/v1/sync/{userId}", Reach::own},
    // Those that a neighbour is asked about below: a tenant's two environments share products and settings.
    {post, "/v1/products", Reach::own, R"({"providerProductId":"x","name":"x","kind":"consumable"})"},
    {get, "/v1/products", Reach::own},
    {get, "/v1/products/{productId}", Reach::own},
    {patch, "/v1/products/{productId}", Reach::own, R"({"name":"x"})"},
    {del, "/v1/products/{productId}", Reach::own},
    {get, "/v1/events", Reach::scope},
    {post, "/v1/events/{eventId}/replay", Reach::object},
    {get, "/v1/settings", Reach::own},
    {patch, "/v1/settings", Reach::own, R"({"purchasesSecret":"x"})"},
    {get, "/v1/audit", Reach::scope},
    {post, "/v1/webhooks", Reach::scope, R"({"url":"https://example.com/"})"},
    {get, "/v1/webhooks", Reach::scope},
    {get, "/v1/webhooks/{webhookId}", Reach::object},
    {patch, "/v1/webhooks/{webhookId}", Reach::object, R"({"enabled":false})"},
    {del, "/v1/webhooks/{webhookId}", Reach::object},
    {post, "/v1/webhooks/{webhookId}/rotate-secret", Reach::object},
    {get, "/v1/webhooks/{webhookId}/deliveries", Reach::object},
    {post, "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver", Reach::object},
    {post, "/v1/keys", Reach::scope, R"({"environment":"sandbox"})"},
    {get, "/v1/keys", Reach::scope},
    {post, "/v1/keys/{environment}/rotate", Reach::scope},
    {del, "/v1/keys/{prefix}", Reach::object},
    {put, "/v1/admin/tenants/{slug}", Reach::tenantless, R"({"displayName":"x","status":"suspended"})"},
    {get, "/v1/admin/tenants", Reach::tenantless},
    {get, "/v1/admin/tenants/{slug}", Reach::tenantless},
    {del, "/v1/admin/tenants/{slug}", Reach::tenantless},
});

static_assert(testing::covers_every_route(probes, billing::routes),
    "routes.hpp and the probes of the isolation test differ");

testing::HttpResponse require(unsigned status, testing::HttpResponse response)
{
    INFO(response.body);
    REQUIRE(response.status == status);
    return response;
}

/// Every row of the scope, but for when its keys were used last and what workers write, and the products of
/// its tenant.
std::string rows_of(World const& world, std::string const& scope_id)
{
    return testing::rows_of_scope(world.postgres, scope_id,
               {{"jobs", ""}, {"webhook_deliveries", ""}, {"api_keys", "to_jsonb(t) - 'last_used_at'"}}) +
           world.postgres.query("SELECT md5(coalesce(string_agg(t::text, ' ' ORDER BY t::text), '')) "
                                "FROM products t WHERE tenant_id = " +
                                scope_id + " / 2");
}

/// What belongs to demo's sandbox, by the name of the path parameter.
PathValues make_objects(World const& world)
{
    auto backend = world.as_backend();
    PathValues objects;
    auto const product = require(201,
        backend.post("/v1/products",
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
    auto const grant =
        require(201, backend.post("/v1/users/marker-user/grants",
                         R"({"productId":")" + objects["productId"] + R"(","reason":"marker"})"));
    objects["entitlementId"] = text(grant.json(), "entitlementId");
    auto const path = "/v1/webhooks/" + objects["webhookId"];
    auto const deliveries = require(200, backend.get(path + "/deliveries")).json();
    objects["deliveryId"] = text(deliveries.at("items").at(0), "deliveryId");
    require(200, backend.patch(path, R"({"enabled":false})"));
    objects["prefix"] = world.key().substr(0, 12);
    objects["environment"] = "sandbox";
    objects["slug"] = "demo";
    return objects;
}

constexpr char const* ada = "0190a5d2-0000-7000-8000-00000000ada0";

/// No credential of demo's sandbox at all.
void add_strangers(Isolation& isolation, World const& world)
{
    testing::Issuer const forger(world.clock);
    auto const expired = world.issuer.token({.subject = ada}, {{"exp", 1'000'000'000}});
    auto const forged =
        forger.sign(forger.claims({.subject = ada, .role = "owner"}), {{"kid", world.issuer.kid()}});
    auto altered = world.key();
    altered.back() = altered.back() == 'a' ? 'b' : 'a';
    auto& strangers = isolation.strangers;
    strangers.push_back({"nobody", world.client()});
    strangers.push_back({"another tenant's key", world.with(world.key("other-sandbox"))});
    strangers.push_back({"the other environment's key", world.with(world.key("demo"))});
    strangers.push_back({"a key with a wrong checksum", world.with(altered)});
    strangers.push_back({"a forged token", world.with(forged)});
    strangers.push_back({"an expired token", world.with(expired)});
    strangers.push_back({"another tenant's owner", world.with(world.token(ada, "owner", "other-sandbox"))});
    strangers.push_back({"the other environment's owner", world.with(world.token(ada, "owner", "demo"))});
    strangers.push_back({"who knows the purchases secret", world.with("purchases-secret")});
}

/// Credentials of demo's sandbox.
void add_residents(Isolation& isolation, World const& world)
{
    auto& residents = isolation.residents;
    residents.push_back({"a user", world.as_user(ada), core::Access::user});
    residents.push_back({"a key", world.as_backend(), core::Access::key});
    residents.push_back({"an owner", world.as_user(ada, "owner"), core::Access::owner});
}

/// Somebody else's good credential, at home, for what is demo's.
void add_neighbours(Isolation& isolation, World const& world)
{
    auto& neighbours = isolation.neighbours;
    for (std::string const home : {"other-sandbox", "demo"})
        neighbours.push_back({"a key at " + home, world.as_backend(home), core::Access::key});
    neighbours.push_back(
        {"another tenant's owner", world.as_user(ada, "owner", "other-sandbox"), core::Access::owner});
    neighbours.push_back(
        {"the operator for another tenant", world.as_master("other-sandbox"), core::Access::master});
}

} // namespace

TEST_CASE("no route gives anything of a scope to, or takes it from, anybody else", "[billing][isolation]")
{
    World const world;
    Isolation isolation;
    isolation.ours = make_objects(world);
    auto const nothing = "0190a5d2-0000-7000-8000-0000000000ff";
    isolation.absent = {{"productId", nothing}, {"webhookId", nothing}, {"deliveryId", nothing},
        {"entitlementId", nothing}, {"eventId", "no-event"}, {"userId", "nobody"}, {"feature", "nothing"},
        {"prefix", "bil_zzzzzzzz"}, {"environment", "sandbox"}, {"slug", "nobody"}};
    isolation.secrets = {"marker.pro", "marker-event", isolation.ours.at("entitlementId"),
        isolation.ours.at("productId"), isolation.ours.at("prefix")};
    auto const scope_id = world.scope_id();
    isolation.rows = [&] { return rows_of(world, scope_id); };
    add_strangers(isolation, world);
    add_residents(isolation, world);
    add_neighbours(isolation, world);
    CHECK(isolation.breaches(probes, billing::routes) == "");
}

TEST_CASE("what a user has in one environment is nothing in the other, or at another tenant",
    "[billing][isolation]")
{
    World const world;
    auto const objects = make_objects(world);
    CHECK(world.entitlements("marker-user").size() == 3);
    for (std::string const elsewhere : {"demo", "other", "other-sandbox"}) {
        CAPTURE(elsewhere);
        auto backend = world.as_backend(elsewhere);
        CHECK(world.entitlements("marker-user", elsewhere).empty());
        CHECK(
            backend.get("/v1/entitlements?userId=marker-user").json().at("entitlements").as_array().empty());
        CHECK(backend.get("/v1/users/marker-user/features/marker").json().at("granted") == false);
        CHECK(all_items(backend, "/v1/events").empty());
    }
    for (std::string const tenant : {"other", "other-sandbox"}) {
        auto backend = world.as_backend(tenant);
        auto const path = "/v1/products/" + objects.at("productId");
        CHECK(backend.get(path).status == 404);
        CHECK(backend.patch(path, R"({"name":"x"})").status == 404);
        CHECK(backend.del(path).status == 404);
        CHECK(all_items(backend, "/v1/products").empty());
        CHECK(backend
                  .post("/v1/users/marker-user/grants", R"({"productId":")" + objects.at("productId") + "\"}")
                  .status != 201);
    }
}

TEST_CASE(
    "a statement sees and writes the rows of its scopes alone, whatever it names", "[billing][isolation]")
{
    World const world;
    make_objects(world);
    pg::Database db({.url = world.postgres.service_url(), .threads = 1});
    REQUIRE(eventually([&] { return db.healthy(); }));
    auto const ours = std::stoll(world.scope_id()), other = std::stoll(world.scope_id("other-sandbox"));
    auto const run = [&](pg::Scopes scopes, std::string const& sql) {
        return db.transact_blocking(
            std::move(scopes), [&](pg::Tx& tx) { return std::string(tx.run(sql)[0][0].c_str()); });
    };
    for (std::string const table : {"entitlements", "payment_subscriptions", "events", "event_claims"}) {
        INFO(table);
        auto const count = "SELECT count(*) FROM " + table + " WHERE scope_id = " + std::to_string(ours);
        CHECK(run(ours, count) != "0");
        CHECK(run(ours - 1, count) == "0"); // production
        CHECK(run(other, count) == "0");
        CHECK(run({}, count) == "0");
    }
    auto const products = "SELECT count(*) FROM products WHERE tenant_id = " + std::to_string(ours / 2);
    CHECK(run(ours, products) == "1");
    CHECK(run(ours - 1, products) == "1");
    CHECK(run(other, products) == "0");
    CHECK(run({}, products) == "0");
    // A month of the archive is reached through the archive alone.
    CHECK_THROWS(run(ours, "SELECT count(*) FROM events_default"));
    auto const insert = "INSERT INTO event_claims (scope_id, claim, archive_id, received_at) VALUES (" +
                        std::to_string(ours) +
                        ", gen_random_uuid(), gen_random_uuid(), now()) RETURNING scope_id";
    CHECK_THROWS(run(other, insert));
    CHECK_THROWS(run({}, insert));
    CHECK(run(ours, insert) == std::to_string(ours));
    db.stop();
}

TEST_CASE("only the subdomain names a tenant", "[billing][isolation]")
{
    World const world;
    auto master = world.as_master();
    testing::HttpClient::Headers const headers{{"X-Tenant-Slug", "other"}, {"X-Tenant-Env", "production"}};
    CHECK(master.get("/v1/events", headers).status == 200);
    CHECK(master.get("/v1/events", {{"Host", "billing.localhost"}, {"X-Tenant-Slug", "demo"}}).status == 404);
    CHECK(master.get("/v1/events", {{"Host", "nobody.billing.localhost"}}).status == 404);
    CHECK(world.with(world.key(), "other-sandbox").get("/v1/events").status == 401);
}

TEST_CASE("a suspended tenant takes in no events", "[billing][isolation]")
{
    World const world;
    auto master = world.as_master();
    auto const set = [&](std::string const& status) {
        REQUIRE(master.put("/v1/admin/tenants/demo", body({{"displayName", "Demo"}, {"status", status}}))
                    .status == 200);
    };
    set("suspended");
    CHECK(eventually(
        [&] { return result_of(world.post_purchase(events::purchase("TEST"))) == "403 TENANT_SUSPENDED"; }));
    CHECK(result_of(world.post_payment(events::payment("customer.created", {{"livemode", false}}))) ==
          "403 TENANT_SUSPENDED");
    set("active");
    CHECK(
        eventually([&] { return world.post_purchase(events::purchase("INITIAL_PURCHASE")).status == 200; }));
}

TEST_CASE("a purged tenant leaves nothing, its neighbour everything", "[billing][isolation]")
{
    World const world;
    make_objects(world);
    for (std::string const tenant : {"demo", "other-sandbox"})
        REQUIRE(
            result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE",
                                              {{"environment", tenant == "demo" ? "PRODUCTION" : "SANDBOX"}}),
                tenant)) == "applied");
    auto const sandbox = world.scope_id("demo-sandbox"), production = world.scope_id("demo");
    auto const other = world.scope_id("other-sandbox");
    auto const before = rows_of(world, other);
    CHECK(world.as_master().del("/v1/admin/tenants/demo?purge=now").body == R"({"deleted":true})");
    auto const empty = rows_of(world, "-1");
    CHECK(rows_of(world, sandbox) == empty);
    CHECK(rows_of(world, production) == empty);
    CHECK(rows_of(world, other) == before);
    CHECK(world.entitlements("ada", "other-sandbox").size() == 1);
}
