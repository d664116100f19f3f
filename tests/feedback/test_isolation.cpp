#include "routes.hpp"
#include "testing/eventually.hpp"
#include "testing/scope_rows.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>

// Every route is called by everybody who may not use it on what belongs to tenant demo's sandbox: nothing is
// read and nothing is changed. A route that has no line here does not compile.

namespace {

enum class Kind {
    object,     ///< names something of demo's: 404 for everybody else
    collection, ///< answers what is the caller's own
    tenantless, ///< the operator's
    capability, ///< the address is the permission
};

struct Line {
    http::Method method;
    std::string_view path;
    Kind kind;
    std::string_view body = {};
};

using enum http::Method;

constexpr auto lines = std::to_array<Line>({
    {post, "/v1/feedbacks", Kind::collection, R"({"category":"bug","title":"mine","body":"mine"})"},
    {get, "/v1/feedbacks", Kind::collection},
    {get, "/v1/feedbacks/stats", Kind::collection},
    {get, "/v1/feedbacks/export", Kind::collection},
    {get, "/v1/feedbacks/{feedbackId}", Kind::object},
    {patch, "/v1/feedbacks/{feedbackId}", Kind::object, R"({"status":"closed"})"},
    {del, "/v1/feedbacks/{feedbackId}", Kind::object},
    {post, "/v1/feedbacks/{feedbackId}/replies", Kind::object, R"({"body":"x"})"},
    {get, "/v1/feedbacks/{feedbackId}/replies", Kind::object},
    {get, "/v1/feedbacks/{feedbackId}/history", Kind::object},
    {post, "/v1/attachments/presign", Kind::collection,
        R"({"filename":"a.txt","contentType":"text/plain","sizeBytes":1})"},
    {get, "/v1/attachments/{attachmentId}", Kind::object},
    {put, "/uploads/{token}", Kind::capability, "hello"},
    {get, "/downloads/{token}", Kind::capability},
    {get, "/v1/settings", Kind::collection},
    {patch, "/v1/settings", Kind::collection, R"({"notifyEmail":"x@example.com"})"},
    {get, "/v1/audit", Kind::collection},
    {post, "/v1/webhooks", Kind::collection, R"({"url":"https://example.com/"})"},
    {get, "/v1/webhooks", Kind::collection},
    {get, "/v1/webhooks/{webhookId}", Kind::object},
    {patch, "/v1/webhooks/{webhookId}", Kind::object, R"({"enabled":false})"},
    {del, "/v1/webhooks/{webhookId}", Kind::object},
    {post, "/v1/webhooks/{webhookId}/rotate-secret", Kind::object},
    {get, "/v1/webhooks/{webhookId}/deliveries", Kind::object},
    {post, "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver", Kind::object},
    {post, "/v1/keys", Kind::collection, R"({"environment":"sandbox"})"},
    {get, "/v1/keys", Kind::collection},
    {post, "/v1/keys/{environment}/rotate", Kind::collection},
    {del, "/v1/keys/{prefix}", Kind::object},
    {put, "/v1/admin/tenants/{slug}", Kind::tenantless, R"({"displayName":"x","status":"suspended"})"},
    {get, "/v1/admin/tenants", Kind::tenantless},
    {get, "/v1/admin/tenants/{slug}", Kind::tenantless},
    {del, "/v1/admin/tenants/{slug}", Kind::tenantless},
});

constexpr bool covers_every_route()
{
    return std::ranges::all_of(feedback::routes, [](auto const& route) {
        return std::ranges::any_of(
            lines, [&](Line const& line) { return line.method == route.method && line.path == route.path; });
    });
}

static_assert(covers_every_route(), "a route of routes.hpp is not in the isolation test");
static_assert(lines.size() == feedback::routes.size(), "a line of the isolation test has no route");

core::Access access_of(Line const& line)
{
    return std::ranges::find_if(feedback::routes, [&](auto const& route) {
        return line.method == route.method && line.path == route.path;
    })->access;
}

/// What belongs to demo's sandbox, by the name of the path parameter.
using Objects = std::map<std::string, std::string>;

std::string path_of(Line const& line, Objects const& objects)
{
    std::string path(line.path);
    for (auto const& [name, id] : objects) {
        if (auto const at = path.find("{" + name + "}"); at != std::string::npos)
            path.replace(at, name.size() + 2, id);
    }
    return path;
}

testing::HttpResponse call(testing::HttpClient& client, Line const& line, Objects const& objects)
{
    return client.request(std::string(http::to_string(line.method)), path_of(line, objects), {},
        line.body.empty() ? std::nullopt : std::optional(std::string(line.body)));
}

/// Every row of the scope, but for when its keys were used last and what the sender of webhooks works on.
std::string rows_of(World const& world, std::string const& scope_id)
{
    return testing::rows_of_scope(world.postgres, scope_id,
        {{"jobs", ""}, {"webhook_deliveries", ""}, {"api_keys", "to_jsonb(t) - 'last_used_at'"}});
}

Objects make_objects(World& world)
{
    Objects objects;
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

} // namespace

TEST_CASE("no route gives anything of a scope to, or takes it from, anybody else", "[feedback][isolation]")
{
    World world;
    Objects const objects = make_objects(world);
    Objects const nothing{{"feedbackId", "0190a5d2-0000-7000-8000-0000000000ff"},
        {"attachmentId", "0190a5d2-0000-7000-8000-0000000000ff"},
        {"webhookId", "0190a5d2-0000-7000-8000-0000000000ff"},
        {"deliveryId", "0190a5d2-0000-7000-8000-0000000000ff"}, {"prefix", "fbk_zzzzzzzz"},
        {"environment", "sandbox"}, {"slug", "nobody"}};
    auto const scope_id = world.postgres.query("SELECT tenant_id * 2 + 1 FROM tenants WHERE slug = 'demo'");
    auto const before = rows_of(world, scope_id);

    testing::Issuer const forger(world.clock);
    auto const with = [&](std::string const& credential, std::string const& tenant = "demo-sandbox") {
        auto client = world.client(tenant);
        client.set("Authorization", "Bearer " + credential);
        return client;
    };
    auto const expired = world.issuer.token({.subject = ada}, {{"exp", 1'000'000'000}});
    auto const forged =
        forger.sign(forger.claims({.subject = ada, .role = "owner"}), {{"kid", world.issuer.kid()}});
    auto key = world.key();
    key.back() = key.back() == 'a' ? 'b' : 'a';

    for (auto const& line : lines) {
        INFO(http::to_string(line.method) << ' ' << line.path);
        if (line.kind == Kind::capability) {
            Objects altered = objects;
            altered["token"].back() = altered["token"].back() == 'A' ? 'B' : 'A';
            altered["token"][4] = altered["token"][4] == 'A' ? 'B' : 'A';
            auto nobody = world.client();
            CHECK(call(nobody, line, altered).status == 404);
            continue;
        }

        // Not a credential of this scope at all.
        struct Stranger {
            char const* who;
            testing::HttpClient client;
        };

        std::vector<Stranger> strangers;
        strangers.push_back({"nobody", world.client()});
        strangers.push_back({"another tenant's key", with(world.key("other-sandbox"))});
        strangers.push_back({"the other environment's key", with(world.key("demo"))});
        strangers.push_back({"a key with a wrong checksum", with(key)});
        strangers.push_back({"a forged token", with(forged)});
        strangers.push_back({"an expired token", with(expired)});
        strangers.push_back({"another tenant's owner", with(world.token(ada, "owner", "other-sandbox"))});
        strangers.push_back({"the other environment's owner", with(world.token(ada, "owner", "demo"))});
        for (auto& [who, client] : strangers) {
            INFO(who);
            auto const r = call(client, line, objects);
            bool const may_differ =
                line.kind == Kind::tenantless; // no tenant to be of: the credential may be good
            if (may_differ && r.status == 403) continue;
            CHECK(r.status == 401);
            CHECK(r.body.find("marker") == std::string::npos);
            CHECK(r.header("www-authenticate").starts_with("Bearer"));
        }
        // A credential of the scope, of a kind that may not.
        core::Access const access = access_of(line);
        if (!core::allows(access, core::Access::user)) {
            auto user = world.as_user(ada);
            CHECK(call(user, line, objects).status == 403);
        }
        if (!core::allows(access, core::Access::key)) {
            auto backend = world.as_backend(), owner = world.as_user(bob, "owner");
            CHECK(call(backend, line, objects).status == 403);
            CHECK(call(owner, line, objects).status == 403);
        }
        if (line.kind == Kind::tenantless) continue;
        // Somebody else's good credential, at home, for what is demo's.
        std::vector<testing::HttpClient> neighbours;
        if (core::allows(access, core::Access::key)) {
            neighbours.push_back(world.as_backend("other-sandbox"));
            neighbours.push_back(world.as_backend("demo"));
            neighbours.push_back(world.as_user(ada, "owner", "other-sandbox"));
        }
        neighbours.push_back(world.as_master("other-sandbox"));
        if (core::allows(access, core::Access::user)) {
            neighbours.push_back(world.as_user(ada, "user", "other-sandbox"));
            neighbours.push_back(world.as_user(ada, "user", "demo"));
            neighbours.push_back(world.as_user(bob));
        }
        for (auto& neighbour : neighbours) {
            auto const r = call(neighbour, line, objects);
            if (line.kind == Kind::object) {
                CHECK(r.status == 404);
                CHECK(testing::without_request_id(r) ==
                      testing::without_request_id(call(neighbour, line, nothing)));
            } else {
                CHECK(r.status / 100 == 2);
            }
            CHECK(r.body.find("marker") == std::string::npos);
            CHECK(r.body.find(objects.at("feedbackId")) == std::string::npos);
            CHECK(r.body.find(objects.at("prefix")) == std::string::npos);
        }
        // Bob's own thread in demo's sandbox is the one row that may be new.
        world.postgres.query(
            "DELETE FROM feedbacks WHERE title = 'mine'; DELETE FROM attachments WHERE filename = 'a.txt'");
        CHECK(rows_of(world, scope_id) == before);
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
    // Every replica hears of it within a second.
    REQUIRE(testing::eventually([&] { return backend.get(path).status == 403; }, std::chrono::seconds(1)));
    CHECK(text(backend.get(path).json(), "error") == "TENANT_SUSPENDED");
    CHECK(world.as_user(ada).get("/v1/feedbacks").status == 403);
    CHECK(master.get(path).status == 200);
    CHECK(master.del(path).status == 403);
    REQUIRE(
        master.put("/v1/admin/tenants/demo", R"({"displayName":"Demo","status":"active"})").status == 200);
    CHECK(testing::eventually([&] { return backend.get(path).status == 200; }, std::chrono::seconds(1)));
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
