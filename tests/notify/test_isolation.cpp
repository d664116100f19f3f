#include "core/joined.hpp"
#include "routes.hpp"
#include "support/keyed_isolation.hpp"
#include "support/scope_rows.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <array>

// Calls every route with every credential that may not use it, on objects of tenant demo's sandbox. None of
// these calls may read or change data. A route without a probe does not compile.

namespace {

using testing::Isolation, testing::never, testing::PathValues, testing::Reach;
using enum http::Method;

constexpr auto own_probes = std::to_array<testing::RouteProbe>({
    {post, "/v1/notifications/send", Reach::scope,
        R"({"templateName":"common","channel":"email","to":"mine@example.com"})"},
    {post, "/v1/notifications/ack", Reach::scope,
        R"({"notifications":[{"id":"0190a5d2-0000-7000-8000-0000000000ff"}]})"},
    {get, "/v1/notifications", Reach::scope},
    {get, "/v1/notifications/{notificationId}", Reach::object},
    {get, "/v1/notifications/{notificationId}/events", Reach::object},
    {post, "/v1/notifications/{notificationId}/opened", Reach::object},
    {post, "/v1/notifications/{notificationId}/cancel", Reach::object},
    {post, "/v1/notifications/{notificationId}/retry", Reach::object},
    // A test below checks which devices a neighbour's broadcast reaches.
    {post, "/v1/notifications/broadcast", Reach::own, R"({"templateName":"common","channel":"push"})"},
    {get, "/v1/notifications/broadcasts", Reach::scope},
    {get, "/v1/notifications/broadcasts/{broadcastId}", Reach::object},
    {post, "/v1/notifications/broadcasts/{broadcastId}/cancel", Reach::object},
    // Tests below check what neighbours can do with the next routes that are `Reach::own`, because a tenant's
    // two environments share templates, and the other routes depend on more than their path.
    {post, "/v1/templates", Reach::own, R"({"name":"x","channel":"email","subject":"x","body":"x"})"},
    {get, "/v1/templates", Reach::own},
    {get, "/v1/templates/{templateId}", Reach::own},
    {patch, "/v1/templates/{templateId}", Reach::own, R"({"subject":"x"})"},
    {del, "/v1/templates/{templateId}", Reach::own},
    {post, "/v1/templates/{templateId}/preview", Reach::own, "{}"},
    {post, "/v1/devices", Reach::scope, R"({"userId":"mine","token":"mine","platform":"web"})"},
    {get, "/v1/devices", Reach::own},
    {del, "/v1/devices/{token}", Reach::object},
    {post, "/v1/devices/{token}/test", Reach::object},
    {put, "/v1/platforms/{kind}", Reach::own, "{}"},
    {get, "/v1/platforms", Reach::scope},
    {get, "/v1/platforms/webpush", Reach::object},
    {del, "/v1/platforms/{kind}", Reach::object},
    {post, "/v1/domains/verify", Reach::own,
        R"({"domain":"mine.example.com","fromEmail":"me@mine.example.com","fromName":"Me"})"},
    {get, "/v1/domains/status", Reach::object},
    {del, "/v1/domains", Reach::object},
    {get, "/v1/suppressions", Reach::scope},
    {del, "/v1/suppressions/{address}", Reach::object},
    {post, "/webhooks/sms/twilio", Reach::open},
    {get, "/v1/settings", Reach::scope},
    {patch, "/v1/settings", Reach::scope, R"({"allowedOrigins":["https://mine.example.com"]})"},
});

/// Rotates a neighbour's keys, as the key probes of all services do, so this probe is called together with
/// them.
constexpr auto publishable_key_probes = std::to_array<testing::RouteProbe>({
    {post, "/v1/keys/{environment}/rotate-publishable", Reach::scope},
});

constexpr auto probes =
    core::joined(own_probes, testing::attachment_probes, testing::audit_probes, testing::webhook_probes,
        testing::user_probes, testing::key_probes(R"({"environment":"sandbox","kind":"secret"})"),
        publishable_key_probes, testing::tenant_probes, testing::reference_probes);

static_assert(testing::covers_every_route(probes, notify::routes),
    "routes.hpp and the probes of the isolation test differ");
// The two environments of a tenant share only templates, and both may write them.
static_assert(testing::are_production_only({}, notify::routes));

/// All rows of the scope, and the templates of its tenant. Jobs, deliveries of webhooks, and the time when a
/// key was last used are omitted.
std::string rows_of(World const& world, std::string const& scope_id)
{
    return testing::rows_of_scope(world.postgres, scope_id, testing::what_callers_do()) +
           testing::rows_of_tenant(world.postgres, "templates", scope_id);
}

/// Sends a notification that is due in a day.
std::string waiting(World const& world, std::string const& to)
{
    return world.send({{"templateName", "common"}, {"channel", "email"}, {"to", to},
        {"sendAt", core::to_rfc3339(world.clock.now() + 24h)}});
}

/// Creates a webhook with a delivery, then disables it.
void make_webhook(World const& world, PathValues& objects)
{
    auto backend = world.as_backend();
    auto const made = require(201, backend.post("/v1/webhooks", R"({"url":"https://marker.example.com/"})"));
    objects["webhookId"] = text(made.json(), "webhookId");
    auto const path = "/v1/webhooks/" + objects["webhookId"];
    require(200, backend.post("/v1/notifications/" + waiting(world, "gone@example.com") + "/cancel", ""));
    auto const deliveries = require(200, backend.get(path + "/deliveries")).json();
    objects["deliveryId"] = text(deliveries.at("items").at(0), "deliveryId");
    require(200, backend.patch(path, R"({"enabled":false})"));
}

/// Creates a broadcast to no devices and waits until it is complete.
std::string make_broadcast(World const& world)
{
    auto backend = world.as_backend();
    world.new_template("marker-push", {{"channel", "push"}});
    auto const made = require(202, backend.post("/v1/notifications/broadcast",
                                       R"({"templateName":"marker-push","channel":"push",
                                           "dedupeKey":"marker"})"));
    auto const id = text(made.json(), "broadcastId");
    REQUIRE(eventually([&] {
        auto const b = require(200, backend.get("/v1/notifications/broadcasts/" + id)).json();
        return text(b, "completedAt") != "null";
    }));
    return id;
}

/// The objects of demo's sandbox, by the name of the path parameter.
PathValues make_objects(World const& world)
{
    PathValues objects;
    auto backend = world.as_backend();
    world.new_template("common");
    world.new_template("common", {}, "other-sandbox");
    objects["templateId"] = world.new_template("marker", {{"subject", "marker"}});
    objects["notificationId"] = waiting(world, "marker@example.com");
    make_webhook(world, objects);
    auto const presigned = require(201, backend.post("/v1/attachments/presign",
                                            R"({"filename":"marker.txt","contentType":"text/plain",
                                                "sizeBytes":5})"))
                               .json();
    objects["attachmentId"] = text(presigned, "attachmentId");
    world.put_fcm();
    objects["kind"] = "fcm";
    require(200, backend.put("/v1/platforms/webpush", R"({"subject":"mailto:marker@example.com"})"));
    objects["broadcastId"] = make_broadcast(world);
    world.new_device("marker", "marker-token");
    objects["token"] = "marker-token";
    objects["userId"] = "marker";
    require(200, backend.post("/v1/domains/verify",
                     R"({"domain":"marker.example.com","fromEmail":"me@marker.example.com",
                         "fromName":"Marker"})"));
    world.postgres.query(
        "INSERT INTO suppressions (scope_id, channel, address, reason, created_at) VALUES (" +
        world.scope_id() + ", 'sms', '+14155550199', '21610', now())");
    objects["address"] = "+14155550199";
    require(200, backend.patch("/v1/settings", R"({"allowedOrigins":["https://marker.example.com"]})"));
    return objects;
}

/// The same parameters with ids that never existed.
PathValues const absent{{"notificationId", never}, {"broadcastId", never}, {"templateId", never},
    {"attachmentId", never}, {"token", "no-token"}, {"kind", "apns"}, {"address", "+14155550198"}};

/// The callers of every service, and apps.
Isolation isolation_of(World const& world, std::vector<std::string> const& homes)
{
    auto isolation = testing::isolation_of(world, make_objects(world), absent, homes);
    for (std::string const other : {"other-sandbox", "demo"})
        isolation.strangers.push_back(
            {"a publishable key of " + other, world.with(world.key(other, "publishable"))});
    isolation.residents.push_back({"an app", world.as_app(), core::Access::publishable_key});
    for (auto const& home : homes)
        isolation.neighbours.push_back(
            {"an app at " + home, world.as_app(home), core::Access::publishable_key});
    isolation.secrets = {"marker", "Marker", isolation.ours.at("notificationId"),
        isolation.ours.at("broadcastId"), isolation.ours.at("prefix"), isolation.ours.at("address")};
    isolation.rows = [&world, scope_id = world.scope_id()] { return rows_of(world, scope_id); };
    return isolation;
}

} // namespace

TEST_CASE("no route reads or changes data of another scope", "[notify][isolation]")
{
    World const world;
    auto isolation = isolation_of(world, {"other-sandbox", "demo"});
    CHECK(isolation.breaches(probes, notify::routes) == "");
}

TEST_CASE("no call with a sandbox credential changes production, except templates", "[notify][isolation]")
{
    World const world;
    auto objects = make_objects(world);
    auto const prefix = world.key("demo").substr(0, 12);
    objects.merge(PathValues{{"environment", "production"}, {"slug", "demo"}, {"prefix", prefix}});
    auto const production = [&] { return rows_of(world, world.scope_id("demo")); };
    CHECK(testing::sandbox_breaches(
              world, probes, objects, production, {"/v1/templates", "/v1/templates/{templateId}"}) == "");
}

TEST_CASE("another tenant cannot use templates, domains and devices", "[notify][isolation]")
{
    World const world;
    auto isolation = isolation_of(world, {"other-sandbox"});
    constexpr auto between_tenants = std::to_array<testing::RouteProbe>({
        {get, "/v1/templates", Reach::scope},
        {get, "/v1/templates/{templateId}", Reach::object},
        {patch, "/v1/templates/{templateId}", Reach::object, R"({"subject":"x"})"},
        {del, "/v1/templates/{templateId}", Reach::object},
        {post, "/v1/templates/{templateId}/preview", Reach::object, "{}"},
        {post, "/v1/domains/verify", Reach::scope,
            R"({"domain":"mine.example.com","fromEmail":"me@mine.example.com","fromName":"Me"})"},
    });
    CHECK(isolation.breaches(between_tenants, notify::routes) == "");

    auto backend = world.as_backend();
    auto const mine = backend.get("/v1/devices?userId=marker").json();
    CHECK(mine.at("items").as_array().size() == 1);
    for (std::string const home : {"other-sandbox", "demo"}) {
        auto const theirs = world.as_backend(home).get("/v1/devices?userId=marker");
        CHECK(theirs.status == 200);
        CHECK(theirs.json().at("items").as_array().empty());
        CHECK(world.as_backend(home).get("/v1/notifications?to=marker%40example.com").json() ==
              boost::json::value({{"notifications", boost::json::array()}, {"nextCursor", nullptr}}));
    }
}

TEST_CASE("a statement reads and writes only rows of its scopes", "[notify][isolation]")
{
    World const world;
    make_objects(world);
    core::ScopeId const ours{std::stoll(world.scope_id())};
    core::ScopeId const other{std::stoll(world.scope_id("other-sandbox"))};
    testing::ScopedStatements statements(world.postgres, ours, other);
    for (std::string const table : {"notifications", "notification_events", "devices", "platforms",
             "suppressions", "email_domains", "broadcasts", "broadcast_claims"}) {
        INFO(table);
        CHECK_THAT(statements.seen(table, "scope_id = " + core::to_string(ours)),
            Catch::Matches("[1-9][0-9]* 0 0 0"));
    }
    CHECK(statements.seen("templates", "tenant_id = " + core::to_string(core::tenant_of(ours))) == "3 3 0 0");
    auto const insert =
        "INSERT INTO templates (tenant_id, template_id, name, channel, subject, body, format, "
        "created_at, updated_at) VALUES (" +
        core::to_string(core::tenant_of(ours)) +
        ", gen_random_uuid(), 'x', 'sms', '', 'x', 'text', now(), now()) RETURNING name";
    CHECK_THROWS(statements.run(other, insert));
    CHECK_THROWS(statements.run({}, insert));
    CHECK(statements.run(ours, insert) == "x");
}

TEST_CASE("a push goes only to the devices of its own scope", "[notify][isolation]")
{
    World world;
    world.new_template("ping", {{"channel", "push"}});
    world.put_fcm();
    world.put_fcm("demo");
    world.new_device(ada, "of-sandbox");
    world.new_device(ada, "of-production", "android", "demo");
    auto const id = world.send({{"templateName", "ping"}, {"channel", "push"}, {"to", ada}});
    auto const deliveries = [&] {
        auto const n = world.notification(id);
        return n.at("deliveries").as_array();
    };
    REQUIRE(eventually([&] { return !deliveries().empty(); }));
    REQUIRE(deliveries().size() == 1);
    CHECK(text(deliveries()[0], "token") == "of-sandbox");
}

TEST_CASE("a broadcast goes only to the devices of its own scope", "[notify][isolation]")
{
    World world; // without carriers, so that every push waits
    world.new_template("news", {{"channel", "push"}});
    world.put_fcm();
    world.put_fcm("demo");
    world.put_fcm("other-sandbox");
    world.new_device(ada, "of-sandbox");
    world.new_device(ada, "of-production", "android", "demo");
    world.new_device(ada, "of-another", "android", "other-sandbox");
    auto const made =
        world.as_backend().post("/v1/notifications/broadcast", R"({"templateName":"news","channel":"push"})");
    REQUIRE(made.status == 202);
    auto const waiting = [&] {
        return world.postgres.query(R"(
            SELECT string_agg(d.scope_id || ' ' || d.token, ', ')
            FROM broadcast_chunks c
            JOIN devices d ON d.device_id BETWEEN c.first_device_id AND c.last_device_id
            WHERE c.began_at IS NOT NULL)");
    };
    REQUIRE(eventually([&] { return !waiting().empty(); }));
    CHECK(waiting() == world.scope_id() + " of-sandbox");
    auto const path = "/v1/notifications/broadcasts/" + text(made.json(), "broadcastId");
    CHECK(world.as_backend().get(path).json().at("enqueuedDevices") == 1);
}

TEST_CASE("if the host names no tenant, headers name it, and all sources must agree", "[notify][isolation]")
{
    World world;
    auto backend = world.as_backend();
    using Headers = testing::HttpClient::Headers;
    auto const error = [&](Headers const& headers, std::string const& host) {
        Headers all = headers;
        all.emplace_back("Host", host);
        auto const r = backend.get("/v1/notifications", all);
        return r.status == 200 ? std::string("fine") : error_of(r);
    };
    std::string const home = "demo-sandbox.notify.localhost", elsewhere = "elsewhere.example.com";
    CHECK(error({}, home) == "fine");
    CHECK(error({}, elsewhere) == "fine"); // the key's own tenant
    CHECK(error({{"X-Tenant-Slug", "demo"}, {"X-Tenant-Env", "sandbox"}}, elsewhere) == "fine");
    // The default environment is production.
    CHECK(error({{"X-Tenant-Slug", "demo"}}, elsewhere) == "UNAUTHORIZED");
    CHECK(error({{"X-Tenant-Slug", "other"}, {"X-Tenant-Env", "sandbox"}}, elsewhere) == "UNAUTHORIZED");
    CHECK(error({{"X-Tenant-Slug", "other"}}, home) == "TENANT_MISMATCH");
    CHECK(error({{"X-Tenant-Env", "production"}}, home) == "TENANT_MISMATCH");
    CHECK(error({{"X-Tenant-Env", "staging"}}, home) == "TENANT_MISMATCH");
    auto master = world.as_master();
    CHECK(master.get("/v1/notifications", {{"Host", "nobody.notify.localhost"}}).status == 404);
    CHECK(master.get("/v1/notifications", {{"Host", "notify.localhost"}}).status == 404);
}

TEST_CASE("a suspended tenant cannot send", "[notify][isolation]")
{
    World world;
    auto backend = world.as_backend();
    auto master = world.as_master();
    world.new_template("common");
    auto const id = waiting(world, "ada@example.com");
    auto const path = "/v1/notifications/" + id;
    require(200, master.put("/v1/admin/tenants/demo", R"({"displayName":"Demo","status":"suspended"})"));
    REQUIRE(eventually([&] { return backend.get(path).status == 403; }));
    auto const refused = backend.post(
        "/v1/notifications/send", R"({"templateName":"common","channel":"email","to":"ada@example.com"})");
    CHECK(refused.status == 403);
    CHECK(error_of(refused) == "TENANT_SUSPENDED");
    CHECK(master.get(path).status == 200);
    CHECK(master.post(path + "/cancel", "").status == 403);
    require(200, master.put("/v1/admin/tenants/demo", R"({"displayName":"Demo","status":"active"})"));
    CHECK(eventually([&] { return backend.get(path).status == 200; }));
}

TEST_CASE("purging a tenant removes all its data, and no data of another tenant", "[notify][isolation]")
{
    World world;
    auto neighbour = world.as_backend("other-sandbox");
    make_objects(world);
    auto const ours = world.scope_id();
    CHECK(testing::breaches_of_purge(world, [&](auto const& scope_id) { return rows_of(world, scope_id); }) ==
          "");
    CHECK(world.as_master().get("/v1/admin/tenants/demo").status == 404);
    CHECK(
        world.postgres.query("SELECT count(*) FROM domain_claims WHERE tenant_id = " + ours + " / 2") == "0");
    CHECK(neighbour.get("/v1/templates").json().at("templates").as_array().size() == 1);
}
