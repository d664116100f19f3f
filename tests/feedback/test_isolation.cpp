#include "routes.hpp"
#include "testing/eventually.hpp"
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
    {post, "/v1/feedbacks", Reach::scope, R"({"category":"bug","title":"mine","body":"mine"})"},
    {get, "/v1/feedbacks", Reach::scope},
    {get, "/v1/feedbacks/stats", Reach::scope},
    {get, "/v1/feedbacks/export", Reach::scope},
    {get, "/v1/feedbacks/{feedbackId}", Reach::object},
    {patch, "/v1/feedbacks/{feedbackId}", Reach::object, R"({"status":"closed"})"},
    {del, "/v1/feedbacks/{feedbackId}", Reach::object},
    {post, "/v1/feedbacks/{feedbackId}/replies", Reach::object, R"({"body":"x"})"},
    {get, "/v1/feedbacks/{feedbackId}/replies", Reach::object},
    {get, "/v1/feedbacks/{feedbackId}/history", Reach::object},
    {post, "/v1/attachments/presign", Reach::scope,
        R"({"filename":"a.txt","contentType":"text/plain","sizeBytes":1})"},
    {get, "/v1/attachments/{attachmentId}", Reach::object},
    {put, "/uploads/{token}", Reach::open, "hello"},
    {get, "/downloads/{token}", Reach::open},
    {get, "/v1/settings", Reach::scope},
    {patch, "/v1/settings", Reach::scope, R"({"notifyEmail":"x@example.com"})"},
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

static_assert(testing::covers_every_route(probes, feedback::routes),
    "routes.hpp and the probes of the isolation test differ");

/// Every row of the scope, but for when its keys were used last and what the sender of webhooks works on.
std::string rows_of(World const& world, std::string const& scope_id)
{
    return testing::rows_of_scope(world.postgres, scope_id,
        {{"jobs", ""}, {"webhook_deliveries", ""}, {"api_keys", "to_jsonb(t) - 'last_used_at'"}});
}

/// What belongs to demo's sandbox, by the name of the path parameter.
PathValues make_objects(World& world)
{
    PathValues objects;
    auto user = world.as_user(ada), backend = world.as_backend();
    objects["webhookId"] = text(
        backend.post("/v1/webhooks", R"({"url":"https://marker.example.com/","events":["feedback.created"]})")
            .json(),
        "webhookId");
    auto const presigned = user.post("/v1/attachments/presign",
                                   R"({"filename":"marker.txt","contentType":"text/plain","sizeBytes":5})")
                               .json();
    objects["attachmentId"] = text(presigned, "attachmentId");
    auto const upload = text(presigned, "uploadUrl");
    objects["token"] = upload.substr(upload.rfind('/') + 1);
    REQUIRE(
        user.put("/uploads/" + objects["token"], "hello", {{"Content-Type", "text/plain"}}).status == 200);
    auto const made = user.post(
        "/v1/feedbacks", R"({"category":"bug","title":"marker","body":"marker","attachmentIds":[")" +
                             objects["attachmentId"] + "\"]}");
    REQUIRE(made.status == 201);
    objects["feedbackId"] = text(made.json(), "feedbackId");
    REQUIRE(user.post("/v1/feedbacks/" + objects["feedbackId"] + "/replies", R"({"body":"marker"})").status ==
            201);
    auto const deliveries = backend.get("/v1/webhooks/" + objects["webhookId"] + "/deliveries").json();
    objects["deliveryId"] = text(deliveries.at("items").at(0), "deliveryId");
    REQUIRE(backend.patch("/v1/webhooks/" + objects["webhookId"], R"({"enabled":false})").status == 200);
    REQUIRE(backend.patch("/v1/settings", R"({"notifyEmail":"marker@example.com"})").status == 200);
    objects["prefix"] = world.key().substr(0, 12);
    objects["environment"] = "sandbox";
    objects["slug"] = "demo";
    return objects;
}

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
}

/// Credentials of demo's sandbox.
void add_residents(Isolation& isolation, World const& world)
{
    auto& residents = isolation.residents;
    residents.push_back({"a user", world.as_user(ada), core::Access::user});
    residents.push_back({"a key", world.as_backend(), core::Access::key});
    residents.push_back({"an owner", world.as_user(bob, "owner"), core::Access::owner});
}

/// Somebody else's good credential, at home, for what is demo's.
void add_neighbours(Isolation& isolation, World const& world)
{
    auto& neighbours = isolation.neighbours;
    for (std::string const home : {"other-sandbox", "demo"}) {
        neighbours.push_back({"a key at " + home, world.as_backend(home), core::Access::key});
        neighbours.push_back({"a user at " + home, world.as_user(ada, "user", home), core::Access::user});
    }
    neighbours.push_back(
        {"another tenant's owner", world.as_user(ada, "owner", "other-sandbox"), core::Access::owner});
    neighbours.push_back(
        {"the operator for another tenant", world.as_master("other-sandbox"), core::Access::master});
    neighbours.push_back({"another user", world.as_user(bob), core::Access::user});
}

} // namespace

TEST_CASE("no route gives anything of a scope to, or takes it from, anybody else", "[feedback][isolation]")
{
    World world;
    Isolation isolation;
    isolation.ours = make_objects(world);
    isolation.absent = {{"feedbackId", "0190a5d2-0000-7000-8000-0000000000ff"},
        {"attachmentId", "0190a5d2-0000-7000-8000-0000000000ff"},
        {"webhookId", "0190a5d2-0000-7000-8000-0000000000ff"},
        {"deliveryId", "0190a5d2-0000-7000-8000-0000000000ff"}, {"prefix", "fbk_zzzzzzzz"},
        {"environment", "sandbox"}, {"slug", "nobody"}};
    isolation.secrets = {"marker", isolation.ours.at("feedbackId"), isolation.ours.at("prefix")};
    auto const scope_id = world.postgres.query("SELECT tenant_id * 2 + 1 FROM tenants WHERE slug = 'demo'");
    isolation.rows = [&] { return rows_of(world, scope_id); };
    // Bob's own thread in demo's sandbox is the one row that may be new.
    isolation.tidy = [&] {
        world.postgres.query(
            "DELETE FROM feedbacks WHERE title = 'mine'; DELETE FROM attachments WHERE filename = 'a.txt'");
    };
    add_strangers(isolation, world);
    add_residents(isolation, world);
    add_neighbours(isolation, world);
    CHECK(isolation.breaches(probes, feedback::routes) == "");
}

TEST_CASE("an address that was altered opens nothing", "[feedback][isolation]")
{
    World world;
    auto const objects = make_objects(world);
    auto nobody = world.client();
    auto const& token = objects.at("token");
    for (auto const at : {std::size_t{4}, token.size() / 2, token.size() - 5}) {
        auto altered = objects;
        altered["token"][at] = token[at] == 'A' ? 'B' : 'A';
        for (auto const& probe : probes) {
            INFO(http::to_string(probe.method) << ' ' << probe.path);
            if (probe.reach == Reach::open) CHECK(testing::call(nobody, probe, altered).status == 404);
        }
    }
}

TEST_CASE("sources that name a tenant have to agree", "[feedback][isolation]")
{
    World world;
    auto backend = world.as_backend();
    using Headers = testing::HttpClient::Headers;
    auto const error = [&](Headers const& headers,
                           std::string const& host = "demo-sandbox.feedback.localhost") {
        Headers all = headers;
        all.emplace_back("Host", host);
        auto const r = backend.get("/v1/feedbacks", all);
        return r.status == 200 ? std::string("fine") : text(r.json(), "error");
    };
    CHECK(error({}) == "fine");
    CHECK(error({{"X-Tenant-Slug", "demo"}}) == "fine");
    CHECK(error({{"X-Tenant-Slug", "demo"}, {"X-Tenant-Env", "sandbox"}}) == "fine");
    CHECK(error({{"X-Tenant-Slug", "other"}}) == "TENANT_MISMATCH");
    CHECK(error({{"X-Tenant-Env", "production"}}) == "TENANT_MISMATCH");
    CHECK(error({{"X-Tenant-Env", "staging"}}) == "TENANT_MISMATCH");
    CHECK(error({}, "elsewhere.example.com") == "fine");
    CHECK(error({{"X-Tenant-Env", "sandbox"}}, "elsewhere.example.com") == "fine");
    CHECK(error({{"X-Tenant-Slug", "demo"}, {"X-Tenant-Env", "sandbox"}}, "elsewhere.example.com") == "fine");
    CHECK(error({{"X-Tenant-Slug", "demo"}}, "elsewhere.example.com") ==
          "UNAUTHORIZED"); // production is the default
    CHECK(error({{"X-Tenant-Slug", "other"}, {"X-Tenant-Env", "sandbox"}}, "elsewhere.example.com") ==
          "UNAUTHORIZED");
    CHECK(error({}, "nobody.feedback.localhost") == "UNAUTHORIZED");
    auto master = world.as_master();
    CHECK(master.get("/v1/feedbacks", {{"Host", "nobody.feedback.localhost"}}).status == 404);
    CHECK(master.get("/v1/feedbacks", {{"Host", "feedback.localhost"}}).status == 404);
    CHECK(master.get("/v1/feedbacks", {{"Host", "a.demo.feedback.localhost"}}).status == 404);
}

TEST_CASE("a suspended tenant is closed to all but the operator's reading", "[feedback][isolation]")
{
    World world;
    auto backend = world.as_backend();
    auto master = world.as_master();
    auto const path = "/v1/feedbacks/" + new_thread(backend);
    REQUIRE(
        master.put("/v1/admin/tenants/demo", R"({"displayName":"Demo","status":"suspended"})").status == 200);
    REQUIRE(testing::eventually([&] { return backend.get(path).status == 403; }));
    CHECK(text(backend.get(path).json(), "error") == "TENANT_SUSPENDED");
    CHECK(world.as_user(ada).get("/v1/feedbacks").status == 403);
    CHECK(master.get(path).status == 200);
    CHECK(master.del(path).status == 403);
    REQUIRE(
        master.put("/v1/admin/tenants/demo", R"({"displayName":"Demo","status":"active"})").status == 200);
    CHECK(testing::eventually([&] { return backend.get(path).status == 200; }));
    CHECK(world.as_backend("other").get("/v1/feedbacks").status == 200);
}

TEST_CASE("a purged tenant leaves nothing, its neighbour everything", "[feedback][isolation]")
{
    World world;
    auto backend = world.as_backend(), neighbour = world.as_backend("other-sandbox");
    make_objects(world);
    new_thread(neighbour);
    auto const tenant = world.postgres.query("SELECT tenant_id FROM tenants WHERE slug = 'demo'");
    auto const other = world.postgres.query("SELECT tenant_id * 2 + 1 FROM tenants WHERE slug = 'other'");
    auto const before = rows_of(world, other);
    auto const r = world.as_master().del("/v1/admin/tenants/demo?purge=now");
    CHECK(r.body == R"({"deleted":true})");
    CHECK(world.as_master().get("/v1/admin/tenants/demo").status == 404);
    CHECK(backend.get("/v1/feedbacks").status == 401);
    auto const empty = rows_of(world, "-1");
    CHECK(rows_of(world, std::to_string(std::stoll(tenant) * 2)) == empty);
    CHECK(rows_of(world, std::to_string(std::stoll(tenant) * 2 + 1)) == empty);
    CHECK(rows_of(world, other) == before);
    CHECK(neighbour.get("/v1/feedbacks").json().at("items").as_array().size() == 1);
}
