#include "core/joined.hpp"
#include "routes.hpp"
#include "support/eventually.hpp"
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
    {post, "/v1/feedbacks", Reach::scope, R"({"category":"bug","title":"mine","body":"mine"})"},
    {get, "/v1/feedbacks", Reach::scope},
    {.method = get, .path = "/v1/feedbacks/similar", .reach = Reach::scope, .query = "title=marker"},
    {get, "/v1/feedbacks/stats", Reach::scope},
    {get, "/v1/feedbacks/export", Reach::scope},
    {post, "/v1/feedbacks/bulk", Reach::scope,
        R"({"feedbackIds":["0190a5d2-0000-7000-8000-0000000000fe"],"set":{"status":"closed"}})"},
    {get, "/v1/feedbacks/{feedbackId}", Reach::object},
    {patch, "/v1/feedbacks/{feedbackId}", Reach::object, R"({"status":"closed"})"},
    {del, "/v1/feedbacks/{feedbackId}", Reach::object},
    {post, "/v1/feedbacks/{feedbackId}/replies", Reach::object, R"({"body":"x"})"},
    {get, "/v1/feedbacks/{feedbackId}/replies", Reach::object},
    {patch, "/v1/feedbacks/{feedbackId}/replies/{replyId}", Reach::object, R"({"body":"y"})"},
    {del, "/v1/feedbacks/{feedbackId}/replies/{replyId}", Reach::object},
    {get, "/v1/feedbacks/{feedbackId}/replies/{replyId}/history", Reach::object},
    {get, "/v1/feedbacks/{feedbackId}/history", Reach::object},
    {post, "/v1/feedbacks/{feedbackId}/merge", Reach::object,
        R"({"into":"0190a5d2-0000-7000-8000-0000000000fe"})"},
    {put, "/v1/feedbacks/{feedbackId}/vote", Reach::object},
    {del, "/v1/feedbacks/{feedbackId}/vote", Reach::object},
    {get, "/v1/feedbacks/{feedbackId}/votes", Reach::object},
    {put, "/v1/feedbacks/{feedbackId}/votes/{userId}", Reach::object},
    {del, "/v1/feedbacks/{feedbackId}/votes/{userId}", Reach::object},
    {get, "/board/threads", Reach::open},
    {get, "/board/threads/{feedbackId}", Reach::open},
    {get, "/unsubscribe/{token}", Reach::open},
    {post, "/unsubscribe/{token}", Reach::open},
    {get, "/unsubscribe.css", Reach::open},
    {get, "/v1/settings", Reach::scope},
    {patch, "/v1/settings", Reach::scope, R"({"notifyEmail":"x@example.com"})"},
    {put, "/v1/settings/logo", Reach::scope, testing::gray_pixel, "image/png"},
    {del, "/v1/settings/logo", Reach::scope},
    {get, "/board", Reach::open},
    {get, "/board/roadmap", Reach::open},
    {get, "/board/posts/{feedbackId}", Reach::open},
    {get, "/board/new", Reach::open},
    {get, "/board/callback", Reach::open},
    {get, "/board/feed.atom", Reach::open},
    {get, "/board/logo", Reach::open},
    {get, "/board/assets/{file}", Reach::open},
});

constexpr auto probes =
    core::joined(own_probes, testing::attachment_probes, testing::audit_probes, testing::webhook_probes,
        testing::user_probes, testing::key_probes(), testing::tenant_probes, testing::reference_probes);

static_assert(testing::covers_every_route(probes, feedback::routes),
    "routes.hpp and the probes of the isolation test differ");
// The two environments of a tenant share nothing that callers can write.
static_assert(testing::are_production_only({}, feedback::routes));

/// All rows of the scope, except last-use times of keys and the working state of webhook deliveries.
std::string rows_of(World const& world, std::string const& scope_id)
{
    return testing::rows_of_scope(world.postgres, scope_id, testing::what_callers_do());
}

/// The objects of demo's sandbox, by the name of the path parameter.
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
    auto const replies = "/v1/feedbacks/" + objects["feedbackId"] + "/replies";
    auto const reply = user.post(replies, R"({"body":"marker"})");
    REQUIRE(reply.status == 201);
    objects["replyId"] = text(reply.json(), "replyId");
    REQUIRE(user.patch(replies + "/" + objects["replyId"], R"({"body":"marker, edited"})").status == 200);
    auto const deliveries = backend.get("/v1/webhooks/" + objects["webhookId"] + "/deliveries").json();
    objects["deliveryId"] = text(deliveries.at("items").at(0), "deliveryId");
    REQUIRE(backend.patch("/v1/webhooks/" + objects["webhookId"], R"({"enabled":false})").status == 200);
    REQUIRE(backend.patch("/v1/settings", R"({"notifyEmail":"marker@example.com"})").status == 200);
    objects["userId"] = ada;
    objects["file"] = "board.0.css";
    return objects;
}

/// The callers that the isolation tests of all services use, and users, because users own threads in this
/// service.
Isolation isolation_of(World& world)
{
    auto isolation = testing::isolation_of(world, make_objects(world),
        {{"feedbackId", never}, {"replyId", never}, {"attachmentId", never}, {"userId", never}});
    auto& neighbours = isolation.neighbours;
    for (std::string const home : {"other-sandbox", "demo"})
        neighbours.push_back({"a user at " + home, world.as_user(ada, "user", home), core::Access::user});
    neighbours.push_back({"another user", world.as_user(bob), core::Access::user});
    isolation.secrets = {"marker", isolation.ours.at("feedbackId"), isolation.ours.at("prefix")};
    isolation.rows = [&world, scope_id = world.scope_id()] { return rows_of(world, scope_id); };
    // Bob may create a thread and an attachment of his own in demo's sandbox, so these new rows are deleted.
    isolation.tidy = [&world] {
        world.postgres.query(
            "DELETE FROM feedbacks WHERE title = 'mine'; DELETE FROM attachments WHERE filename = 'a.txt'");
    };
    return isolation;
}

} // namespace

TEST_CASE("no route lets a caller read or change data of another scope or user", "[feedback][isolation]")
{
    World world;
    auto isolation = isolation_of(world);
    CHECK(isolation.breaches(probes, feedback::routes) == "");
}

TEST_CASE("no call with a sandbox credential changes production", "[feedback][isolation]")
{
    World world;
    auto objects = make_objects(world);
    auto const prefix = world.key("demo").substr(0, 12);
    objects.merge(PathValues{{"environment", "production"}, {"slug", "demo"}, {"prefix", prefix}});
    auto const production = [&] { return rows_of(world, world.scope_id("demo")); };
    CHECK(testing::sandbox_breaches(world, probes, objects, production) == "");
}

TEST_CASE("an altered upload or download URL gets 404", "[feedback][isolation]")
{
    World world;
    auto const objects = make_objects(world);
    auto anonymous = world.client();
    auto const& token = objects.at("token");
    for (auto const at : {std::size_t{4}, token.size() / 2, token.size() - 5}) {
        auto altered = objects;
        altered["token"][at] = token[at] == 'A' ? 'B' : 'A';
        for (auto const& probe : probes) {
            INFO(http::to_string(probe.method) << ' ' << probe.path);
            if (probe.path.ends_with("{token}"))
                CHECK(testing::call(anonymous, probe, altered).status == 404);
        }
    }
}

TEST_CASE("host, headers and credential must name the same tenant", "[feedback][isolation]")
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

TEST_CASE("only the operator may read data of a suspended tenant", "[feedback][isolation]")
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

TEST_CASE("purging a tenant erases all its data, and no data of another tenant", "[feedback][isolation]")
{
    World world;
    auto backend = world.as_backend(), neighbour = world.as_backend("other-sandbox");
    make_objects(world);
    new_thread(neighbour);
    CHECK(testing::breaches_of_purge(world, [&](auto const& scope_id) { return rows_of(world, scope_id); }) ==
          "");
    CHECK(world.as_master().get("/v1/admin/tenants/demo").status == 404);
    CHECK(backend.get("/v1/feedbacks").status == 401);
    CHECK(neighbour.get("/v1/feedbacks").json().at("items").as_array().size() == 1);
}
