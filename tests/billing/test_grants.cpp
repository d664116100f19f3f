#include "core/text.hpp"
#include "events.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

namespace {

namespace json = boost::json;

std::string new_product(World const& world, std::string_view kind = "subscription")
{
    auto const r = world.as_backend("demo").post(
        "/v1/products", body({{"providerProductId", std::string("gift.") + std::string(kind)},
                            {"name", "A gift"}, {"kind", kind}, {"features", json::array{"export"}}}));
    REQUIRE(r.status == 201);
    return text(r.json(), "productId");
}

testing::HttpResponse give(World const& world, json::object const& fields,
    testing::HttpClient::Headers const& headers = {}, std::string const& user = "ada")
{
    return world.as_backend().post(
        "/v1/users/" + core::percent_encode(user) + "/grants", body(fields), headers);
}

std::string feature(World const& world)
{
    return world.as_backend().get("/v1/users/ada/features/export").body;
}

} // namespace

TEST_CASE("a manual grant is created and ended", "[grants]")
{
    World world;
    auto const product = new_product(world);
    auto const given = give(
        world, {{"productId", product}, {"expiresAt", "2026-06-01T00:00:00Z"}, {"reason", "Beta tester"}});
    REQUIRE(given.status == 201);
    auto const e = given.json();
    CHECK(text(e, "source") == "manual");
    CHECK(text(e, "status") == "active");
    CHECK(text(e, "productId") == product);
    CHECK(text(e, "providerProductId") == "gift.subscription");
    CHECK(text(e, "environment") == "sandbox");
    CHECK(text(e, "expiresAt") == "2026-06-01T00:00:00.000Z");
    CHECK(text(e, "purchasedAt") == events::rfc3339(0));
    CHECK(text(e, "lastEventType") == "GRANT");
    CHECK(e.at("willRenew") == false);
    CHECK(e.at("isActive") == true);
    CHECK(world.entitlements() == json::array{e});
    CHECK(feature(world) == R"({"granted":true,"until":"2026-06-01T00:00:00.000Z"})");

    auto const path = "/v1/users/ada/grants/" + text(e, "entitlementId");
    world.clock.advance(1h);
    CHECK(world.as_backend().del(path).body == R"({"deleted":true})");
    auto const ended = world.entitlement("gift.subscription");
    CHECK(text(ended, "status") == "expired");
    CHECK(ended.at("isActive") == false);
    CHECK(text(ended, "lastEventType") == "REVOKE");
    CHECK(text(ended, "lastEventAt") == events::rfc3339(3600));
    CHECK(feature(world) == R"({"granted":false,"until":null})");
    CHECK(world.as_backend().del(path).body == R"({"deleted":true})");
    CHECK(world.entitlement("gift.subscription") == ended);

    auto backend = world.as_backend();
    auto const created = all_items(backend, "/v1/audit?action=grant.created");
    REQUIRE(created.size() == 1);
    CHECK(text(created[0].at("after"), "reason") == "Beta tester");
    CHECK(all_items(backend, "/v1/audit?action=grant.deleted").size() == 1);
}

TEST_CASE("a subscription product has one grant per user, a consumable any number", "[grants]")
{
    World world;
    auto const product = new_product(world), coins = new_product(world, "consumable");
    auto const first = give(world, {{"productId", product}, {"expiresAt", "2026-02-01T00:00:00Z"}}).json();
    world.clock.advance(1h);
    auto const again = give(world, {{"productId", product}});
    CHECK(again.status == 201);
    CHECK(text(again.json(), "entitlementId") == text(first, "entitlementId"));
    CHECK(text(again.json(), "createdAt") == text(first, "createdAt"));
    CHECK(again.json().at("expiresAt").is_null());
    CHECK(world.entitlements().size() == 1);

    auto const one = give(world, {{"productId", coins}}).json(),
               two = give(world, {{"productId", coins}}).json();
    CHECK(text(one, "entitlementId") != text(two, "entitlementId"));
    CHECK(world.entitlements().size() == 3);
    REQUIRE(world.as_backend().del("/v1/users/ada/grants/" + text(one, "entitlementId")).status == 200);
    auto const left = world.entitlements();
    CHECK(std::ranges::count_if(left, [](auto const& e) { return text(e, "status") == "active"; }) == 2);
}

TEST_CASE("an ended grant can be created again", "[grants]")
{
    World world;
    auto const product = new_product(world);
    auto const id = text(give(world, {{"productId", product}}).json(), "entitlementId");
    REQUIRE(world.as_backend().del("/v1/users/ada/grants/" + id).status == 200);
    world.clock.advance(1s);
    auto const again = give(world, {{"productId", product}});
    CHECK(text(again.json(), "entitlementId") == id);
    CHECK(text(again.json(), "status") == "active");
}

TEST_CASE("a grant can be ended only through its own user and environment", "[grants]")
{
    World const world;
    auto backend = world.as_backend();
    REQUIRE(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "applied");
    auto const bought = text(world.entitlement("pro.monthly"), "entitlementId");
    CHECK(backend.del("/v1/users/ada/grants/" + bought).status == 404);
    CHECK(text(world.entitlement("pro.monthly"), "status") == "active");

    auto const id = text(give(world, {{"productId", new_product(world)}}).json(), "entitlementId");
    CHECK(backend.del("/v1/users/bob/grants/" + id).status == 404);
    CHECK(world.as_backend("demo").del("/v1/users/ada/grants/" + id).status == 404);
    CHECK(world.as_backend("other-sandbox").del("/v1/users/ada/grants/" + id).status == 404);
    CHECK(backend.del("/v1/users/ada/grants/nonsense").status == 404);
    CHECK(text(world.entitlement("gift.subscription"), "status") == "active");
    CHECK(world.as_user("ada", "user").del("/v1/users/ada/grants/" + id).status == 403);
    CHECK(world.as_user("ada", "user").post("/v1/users/ada/grants", "{}").status == 403);
}

TEST_CASE("a provider's events do not change a grant of the same product", "[grants]")
{
    World const world;
    auto const r = world.as_backend("demo").post("/v1/products",
        body({{"providerProductId", "pro.monthly"}, {"name", "Pro"}, {"kind", "subscription"}}));
    REQUIRE(give(world, {{"productId", text(r.json(), "productId")}}).status == 201);
    REQUIRE(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "applied");
    REQUIRE(result_of(world.post_purchase(
                events::purchase("EXPIRATION", {{"event_timestamp_ms", events::ms(1)}}))) == "applied");
    for (auto const& e : world.entitlements())
        CHECK(text(e, "status") == (text(e, "source") == "manual" ? "active" : "expired"));
    CHECK(world.entitlements().size() == 2);
}

TEST_CASE("all faults of a grant are reported at once", "[grants]")
{
    World const world;
    auto const product = new_product(world);
    for (auto const& [request, faults] : std::map<std::string, std::string>{
             {"{}", "/productId required"},
             {R"({"productId":"gift.subscription"})", "/productId format"},
             {R"({"productId":"0190a5d2-0000-7000-8000-0000000000ff"})", "/productId unknown"},
             {R"({"productId":7,"expiresAt":"soon","reason":""})",
                 "/productId type\n/expiresAt format\n/reason too_short"},
             {body({{"productId", product}, {"expiresAt", "2026-01-01T00:00:00Z"}}), "/expiresAt range"},
             {body({{"productId", product}, {"expiresAt", "0001-01-01T00:00:00Z"}}), "/expiresAt range"},
             {body({{"productId", product}, {"reason", std::string(201, 'x')}}), "/reason too_long"},
         }) {
        CAPTURE(request);
        auto const r = world.as_backend().post("/v1/users/ada/grants", request);
        CHECK(r.status == 400);
        CHECK(faults_of(r) == faults);
    }
    CHECK(give(world, {{"productId", product}}, {}, std::string(256, 'x')).status == 400);
    CHECK(world.as_backend().post("/v1/users/ada/grants", "{").status == 400);
    CHECK(world.entitlements().empty());
    CHECK(give(world, {{"productId", product}, {"expiresAt", "9999-12-31T23:59:59Z"}}).status == 201);
}

TEST_CASE("creating a grant is idempotent under an idempotency key", "[grants]")
{
    World const world;
    auto const coins = new_product(world, "consumable");
    auto const first = give(world, {{"productId", coins}}, {{"Idempotency-Key", "k"}});
    auto const again = give(world, {{"productId", coins}}, {{"Idempotency-Key", "k"}});
    CHECK(first.status == 201);
    CHECK(again.body == first.body);
    CHECK(again.header("idempotent-replayed") == "true");
    CHECK(world.entitlements().size() == 1);
}

TEST_CASE("grants are published to webhooks", "[grants]")
{
    World const world;
    auto backend = world.as_backend();
    auto const hook = backend.post("/v1/webhooks", R"({"url":"https://example.com/hooks"})");
    REQUIRE(hook.status == 201);
    auto const product = new_product(world);
    auto const id = text(give(world, {{"productId", product}}).json(), "entitlementId");
    REQUIRE(backend.del("/v1/users/ada/grants/" + id).status == 200);
    REQUIRE(backend.del("/v1/users/ada/grants/" + id).status == 200); // changes nothing
    auto const deliveries =
        all_items(backend, "/v1/webhooks/" + text(hook.json(), "webhookId") + "/deliveries");
    REQUIRE(deliveries.size() == 2);
    CHECK(text(deliveries[0], "eventType") == "entitlement.changed");
}
