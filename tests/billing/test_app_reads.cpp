#include "reading.hpp"

#include <string>

using namespace reading;
using events::day, events::rfc3339;

namespace {

/// Paths under which user `ada` reads the same data.
constexpr auto my_entitlements = "/v1/me/entitlements", own_entitlements = "/v1/users/ada/entitlements";
constexpr auto my_feature = "/v1/me/features/export", own_feature = "/v1/users/ada/features/export";

} // namespace

TEST_CASE("users read their own entitlements and features", "[app-reads]")
{
    World const world;
    new_product(world, "pro.monthly", {"export"});
    happens(world, "INITIAL_PURCHASE");
    happens(world, "INITIAL_PURCHASE", {{"app_user_id", "bob"}, {"product_id", "other"}});
    auto const expected = require(200, world.as_backend().get(own_entitlements));
    auto const until = rfc3339(30 * day + leeway);
    for (auto const* role : {"user", "admin", "owner"}) {
        CAPTURE(role);
        auto app = world.as_user("ada", role);
        for (auto const* path : {my_entitlements, own_entitlements})
            CHECK(require(200, app.get(path)).body == expected.body);
        for (auto const* path : {my_feature, own_feature})
            CHECK(require(200, app.get(path)).body == granted(until));
        CHECK(app.get("/v1/me/features/unheard-of").body == not_granted);
    }
    CHECK(text(expected.json(), "userId") == "ada");
    CHECK(expected.json().at("entitlements").as_array().size() == 1);
    CHECK(world.as_user("carol").get(my_entitlements).body == R"({"userId":"carol","entitlements":[]})");
    CHECK(world.as_user("carol").get(my_feature).body == not_granted);
}

TEST_CASE("another user's data is not found, whether the user exists or not", "[app-reads]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE", {{"app_user_id", "bob"}});
    auto app = world.as_user("ada");
    for (std::string const suffix :
        {"/entitlements", "/entitlements?at=2026-01-01T00:00:00Z", "/features/export"}) {
        CAPTURE(suffix);
        auto const of_bob = app.get("/v1/users/bob" + suffix);
        auto const of_nobody = app.get("/v1/users/nobody" + suffix);
        CHECK(of_bob.status == 404);
        CHECK(error_of(of_bob) == "NOT_FOUND");
        CHECK(testing::without_request_id(of_bob) == testing::without_request_id(of_nobody));
    }
    CHECK(testing::without_request_id(app.get("/v1/users/bob/entitlements")) ==
          testing::without_request_id(app.get("/v1/users/bob/features/export")));
    for (auto const* almost : {"Ada", "%20ada", "ada%20"})
        CHECK(app.get(std::string("/v1/users/") + almost + "/entitlements").status == 404);
    CHECK(world.as_user("ada", "admin").get("/v1/users/bob/entitlements").status == 200);
    CHECK(world.as_user("ada", "owner").get("/v1/users/bob/features/export").status == 200);
}

TEST_CASE("users read their own entitlements at a time in the past", "[app-reads]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE");
    happens(world, "CANCELLATION", {{"event_timestamp_ms", events::ms(day)}});
    auto app = world.as_user("ada");
    for (std::string const path : {my_entitlements, own_entitlements}) {
        CAPTURE(path);
        auto const renews = [&](std::int64_t at) {
            auto const found = require(200, app.get(path + "?at=" + rfc3339(at))).json().at("entitlements");
            return found.as_array().empty() ? json::value(nullptr) : found.at(0).at("willRenew");
        };
        CHECK(renews(-1).is_null());
        CHECK(renews(0) == true);
        CHECK(renews(day) == false);
        CHECK(faults_of(app.get(path + "?at=yesterday")) == "?at format");
    }
    CHECK(world.as_backend().get(std::string(own_entitlements) + "?at=" + rfc3339(0)).body ==
          app.get(std::string(my_entitlements) + "?at=" + rfc3339(0)).body);
}

TEST_CASE("only users have own data", "[app-reads]")
{
    World const world;
    for (auto const* path : {my_entitlements, my_feature}) {
        CAPTURE(path);
        CHECK(world.as_backend().get(path).status == 403);
        CHECK(world.as_master().get(path).status == 403);
        CHECK(world.client().get(path).status == 401);
        CHECK(world.as_user("ada").post(path, "{}").status == 405);
    }
    CHECK(world.client().get(own_entitlements).status == 401);
    CHECK(world.client().get(own_feature).status == 401);
}

TEST_CASE("users read only the environment of their token", "[app-reads]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE");
    CHECK(world.as_user("ada", "user", "demo").get(my_entitlements).body ==
          R"({"userId":"ada","entitlements":[]})");
    CHECK(world.as_user("ada", "user", "other-sandbox").get(my_entitlements).body ==
          R"({"userId":"ada","entitlements":[]})");
    auto const token = world.token("ada", "user", "demo-sandbox");
    for (auto const* tenant : {"demo", "other", "other-sandbox"})
        for (auto const* path : {my_entitlements, own_entitlements, my_feature, own_feature})
            CHECK(world.with(token, tenant).get(path).status == 401);
}

TEST_CASE("users may read nothing else", "[app-reads]")
{
    World const world;
    auto app = world.as_user("ada");
    for (auto const* path : {"/v1/entitlements?userId=ada", "/v1/subscribers", "/v1/events?userId=ada",
             "/v1/products", "/v1/stats?from=2026-01-01&to=2026-01-02",
             "/v1/backfills/0190a5d2-0000-7000-8000-0000000000ff"}) {
        CAPTURE(path);
        CHECK(app.get(path).status == 403);
    }
    CHECK(app.post("/v1/users/ada/grants", "{}").status == 403);
    CHECK(app.post("/v1/sync/ada", "").status == 403);
    CHECK(app.post("/v1/backfills", R"({"source":"payments"})").status == 403);
}

TEST_CASE("own reads follow the tenant's settings", "[app-reads]")
{
    World const world;
    new_product(world, "pro.monthly", {"export"});
    happens(world, "INITIAL_PURCHASE");
    set(world, {{"renewalLeewaySeconds", 0}});
    auto app = world.as_user("ada");
    auto const found = app.get(my_entitlements).json().at("entitlements").at(0);
    CHECK(text(found, "accessUntil") == rfc3339(30 * day));
    CHECK(app.get(my_feature).body == granted(rfc3339(30 * day)));
}
