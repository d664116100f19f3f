#include "core/text.hpp"
#include "events.hpp"
#include "support/webhook_tests.hpp"
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
    CHECK(text(e, "accessUntil") == "2026-06-01T00:00:00.000Z");
    CHECK(text(e, "periodType") == "normal");
    CHECK(text(e, "reason") == "Beta tester");
    for (auto const* member :
        {"graceUntil", "trialEndsAt", "store", "quantity", "price", "transactionId", "cancelReason"}) {
        CAPTURE(member);
        CHECK(e.at(member).is_null());
    }
    CHECK(world.entitlements() == json::array{e});
    CHECK(feature(world) == R"({"granted":true,"until":"2026-06-01T00:00:00.000Z"})");

    auto const path = "/v1/users/ada/grants/" + text(e, "entitlementId");
    world.clock.advance(1h);
    CHECK(world.as_backend().del(path).body == R"({"deleted":true})");
    auto const ended = world.entitlement("gift.subscription");
    CHECK(text(ended, "status") == "expired");
    CHECK(ended.at("isActive") == false);
    CHECK(text(ended, "accessUntil") == events::rfc3339(3600));
    CHECK(text(ended, "expiresAt") == text(e, "expiresAt"));
    CHECK(text(ended, "purchasedAt") == text(e, "purchasedAt"));
    CHECK(text(ended, "reason") == "Beta tester");
    CHECK(text(ended, "lastEventType") == "REVOKE");
    CHECK(text(ended, "lastEventAt") == events::rfc3339(3600));
    CHECK(feature(world) == R"({"granted":false,"until":null})");
    CHECK(world.as_backend().del(path).body == R"({"deleted":true})");
    CHECK(world.entitlement("gift.subscription") == ended);

    auto backend = world.as_backend();
    auto const created = all_items(backend, "/v1/audit?action=grant.created");
    REQUIRE(created.size() == 1);
    CHECK(created[0].at("before").is_null());
    CHECK(text(created[0].at("after"), "reason") == "Beta tester");
    auto const deleted = all_items(backend, "/v1/audit?action=grant.deleted");
    REQUIRE(deleted.size() == 1);
    CHECK(text(deleted[0].at("before"), "status") == "active");
    CHECK(text(deleted[0].at("after"), "status") == "expired");
}

TEST_CASE("grants and revocations are archived as events of this service", "[grants]")
{
    World world;
    auto const product = new_product(world);
    auto const given = give(
        world, {{"productId", product}, {"expiresAt", "2026-06-01T00:00:00Z"}, {"reason", "Beta tester"}});
    REQUIRE(given.status == 201);
    world.clock.advance(1h);
    auto backend = world.as_backend();
    auto const path = "/v1/users/ada/grants/" + text(given.json(), "entitlementId");
    REQUIRE(backend.del(path).status == 200);
    REQUIRE(backend.del(path).status == 200); // changes nothing

    auto const archived = all_items(backend, "/v1/events?userId=ada");
    REQUIRE(archived.size() == 2);
    auto const &revoked = archived[0], &granted = archived[1];
    for (auto const* event : {&revoked, &granted}) {
        CHECK(text(*event, "provider") == "internal");
        CHECK(text(*event, "result") == "applied");
        CHECK(event->at("reason").is_null());
        CHECK(text(*event, "userId") == "ada");
        CHECK(text(event->at("payload"), "userId") == "ada");
        CHECK(text(event->at("payload"), "type") == text(*event, "type"));
    }
    CHECK(text(granted, "type") == "GRANT");
    CHECK(text(granted, "eventAt") == events::rfc3339(0));
    CHECK(text(revoked, "type") == "REVOKE");
    CHECK(text(revoked, "eventAt") == events::rfc3339(3600));

    // A replay of these events changes nothing.
    auto const before = world.entitlements();
    auto const result_of_replay = [&](json::value const& event) {
        return text(backend.post("/v1/events/" + text(event, "eventId") + "/replay", "").json(), "result");
    };
    CHECK(result_of_replay(granted) == "stale");
    CHECK(result_of_replay(revoked) == "duplicate");
    CHECK(world.entitlements() == before);
    world.postgres.query("DELETE FROM entitlements");
    for (auto const* event : {&revoked, &granted})
        CHECK(backend.post("/v1/events/" + text(*event, "eventId") + "/replay", "").status == 200);
    auto const restored = world.entitlement("gift.subscription");
    CHECK(text(restored, "status") == "expired");
    CHECK(text(restored, "reason") == "Beta tester");
    CHECK(text(restored, "accessUntil") == events::rfc3339(3600));
}

TEST_CASE("the last of several grants and revocations at the same time decides", "[grants]")
{
    World world;
    auto const product = new_product(world);
    auto const given = give(world, {{"productId", product}, {"expiresAt", "2026-06-01T00:00:00Z"}});
    auto const path = "/v1/users/ada/grants/" + text(given.json(), "entitlementId");
    auto const shorter = give(world, {{"productId", product}, {"expiresAt", "2026-02-01T00:00:00Z"}});
    REQUIRE(shorter.status == 201);
    CHECK(text(shorter.json(), "expiresAt") == "2026-02-01T00:00:00.000Z");
    CHECK(text(world.entitlement("gift.subscription"), "expiresAt") == "2026-02-01T00:00:00.000Z");

    REQUIRE(world.as_backend().del(path).status == 200);
    CHECK(text(world.entitlement("gift.subscription"), "status") == "expired");
    CHECK(text(world.entitlement("gift.subscription"), "lastEventType") == "REVOKE");
    auto const again = give(world, {{"productId", product}});
    CHECK(text(again.json(), "status") == "active");
    CHECK(again.json().at("expiresAt").is_null());
    CHECK(world.entitlement("gift.subscription").at("isActive") == true);
    REQUIRE(world.as_backend().del(path).status == 200);
    CHECK(text(world.entitlement("gift.subscription"), "status") == "expired");
    world.clock.advance(1s);
    CHECK(world.entitlement("gift.subscription").at("isActive") == false);
    auto backend = world.as_backend();
    CHECK(all_items(backend, "/v1/events").size() == 5);
}

TEST_CASE("a grant decides even if the clock has gone back", "[grants]")
{
    World world;
    auto const product = new_product(world);
    world.clock.advance(1h);
    auto const given = give(world, {{"productId", product}});
    world.clock.set(testing::FakeClock::start);
    auto const path = "/v1/users/ada/grants/" + text(given.json(), "entitlementId");
    REQUIRE(world.as_backend().del(path).status == 200);
    CHECK(text(world.entitlement("gift.subscription"), "status") == "expired");
    CHECK(text(give(world, {{"productId", product}}).json(), "status") == "active");
}

TEST_CASE("a lifetime product has one grant per user", "[grants]")
{
    World world;
    auto const product = new_product(world, "lifetime");
    auto const first = give(world, {{"productId", product}}).json();
    CHECK(first.at("accessUntil").is_null());
    CHECK(first.at("isActive") == true);
    world.clock.advance(1h);
    auto const again = give(world, {{"productId", product}, {"reason", "Again"}}).json();
    CHECK(text(again, "entitlementId") == text(first, "entitlementId"));
    CHECK(text(again, "reason") == "Again");
    CHECK(world.entitlements().size() == 1);
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
    for (auto const& e : left)
        CHECK(e.at("transactionId").is_null());
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

TEST_CASE("backends can test a webhook of their environment", "[grants]")
{
    World const world;
    testing::check_webhook_tests({.manager = world.as_backend(),
        .user = world.as_user(testing::ada),
        .elsewhere = world.as_backend("other-sandbox")});
}
