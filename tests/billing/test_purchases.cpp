#include "events.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <vector>

// POST /webhooks/purchases with requests in the form of the purchase provider.

namespace {

using events::day, events::ms, events::rfc3339, events::undefined;
namespace json = boost::json;

/// The archive's newest row.
json::object newest_event(World const& world, std::string const& tenant = "demo-sandbox")
{
    return world.as_backend(tenant).get("/v1/events?limit=1").json().at("items").at(0).as_object();
}

std::size_t count_events(World const& world, std::string const& tenant = "demo-sandbox")
{
    auto backend = world.as_backend(tenant);
    return all_items(backend, "/v1/events").size();
}

} // namespace

TEST_CASE("a purchase creates an entitlement", "[billing][purchases]")
{
    World const world;
    auto const r = world.post_purchase(events::purchase("INITIAL_PURCHASE"));
    CHECK(r.status == 200);
    CHECK(r.body == R"({"received":true,"result":"applied"})");
    auto const e = world.entitlement("pro.monthly");
    CHECK(text(e, "userId") == "ada");
    CHECK(text(e, "source") == "purchases");
    CHECK(text(e, "environment") == "sandbox");
    CHECK(text(e, "status") == "active");
    CHECK(e.at("isActive") == true);
    CHECK(text(e, "purchasedAt") == rfc3339(-60));
    CHECK(text(e, "expiresAt") == rfc3339(30 * day));
    CHECK(e.at("willRenew") == true);
    CHECK(text(e, "lastEventType") == "INITIAL_PURCHASE");
    CHECK(text(e, "lastEventAt") == rfc3339(0));
    CHECK(text(e, "createdAt") == text(e, "updatedAt"));
    // The catalog does not have this product.
    CHECK(e.at("productId").is_null());
    CHECK(e.at("features") == json::array());
    CHECK(e.at("grants") == json::array());
}

TEST_CASE("each handled event type sets its status, with and without an existing entitlement",
    "[billing][purchases]")
{
    World const world;
    for (auto const& [type, status] : events::status_after) {
        CAPTURE(type);
        auto const alone = "alone " + type, after = "after " + type;
        json::object fields{{"app_user_id", alone}, {"new_product_id", "pro.monthly"}};
        CHECK(result_of(world.post_purchase(events::purchase(type, fields))) == "applied");
        CHECK(text(world.entitlement("pro.monthly", alone), "status") == status);

        CHECK(result_of(world.post_purchase(
                  events::purchase("INITIAL_PURCHASE", {{"app_user_id", after}}))) == "applied");
        fields["app_user_id"] = after;
        fields["event_timestamp_ms"] = ms(100);
        fields["expiration_at_ms"] = ms(31 * day);
        // A consumable has a separate entitlement in addition to the subscription.
        bool const consumable = type == "NON_RENEWING_PURCHASE";
        if (consumable) fields["product_id"] = "coins";
        CHECK(result_of(world.post_purchase(events::purchase(type, fields))) == "applied");
        auto const left = world.entitlement(consumable ? "coins" : "pro.monthly", after);
        CHECK(text(left, "status") == status);
        CHECK(text(left, "lastEventType") == type);
        CHECK(text(left, "expiresAt") == rfc3339(31 * day));
        // All other events leave the paid period.
        CHECK(left.at("isActive") == (type != "EXPIRATION"));
    }
}

TEST_CASE("event types without a subscription and unknown types are skipped", "[billing][purchases]")
{
    World const world;
    for (auto const& [type, result] : std::map<std::string, std::string>{
             {"SUBSCRIBER_ALIAS", "skipped no_subscription_data"},
             {"TRANSFER", "skipped handled_by_sdk_login"},
             {"TEST", "skipped unhandled_type"},
             {"EXPERIMENT_ENROLLMENT", "skipped unhandled_type"},
         }) {
        CAPTURE(type);
        json::object const event{{"event", json::object{{"id", type}, {"type", type}}}};
        CHECK(result_of(world.post_purchase(event)) == result);
        CHECK(result_of(world.post_purchase(event)) == "duplicate");
        auto const archived = newest_event(world);
        CHECK(text(archived, "eventId") == type);
        CHECK(text(archived, "type") == type);
        CHECK(text(archived, "result") == "skipped");
        CHECK(archived.at("payload") == event);
    }
    CHECK(result_of(world.post_purchase(events::purchase("PRODUCT_CHANGE"))) == "skipped no_new_product");
    CHECK(world.entitlements().empty());
    CHECK(count_events(world) == 5);
}

TEST_CASE("an event that arrives twice is applied once", "[billing][purchases]")
{
    World const world;
    auto event = events::purchase("INITIAL_PURCHASE", {{"id", "one"}});
    CHECK(result_of(world.post_purchase(event)) == "applied");
    auto const before = world.entitlements();
    CHECK(world.post_purchase(event).body == R"({"received":true,"result":"duplicate"})");
    // The id alone identifies the event, regardless of its other fields.
    CHECK(result_of(world.post_purchase(events::purchase(
              "EXPIRATION", {{"id", "one"}, {"event_timestamp_ms", ms(500)}}))) == "duplicate");
    CHECK(world.entitlements() == before);
    CHECK(count_events(world) == 1);
    // Ids are separate for each provider, environment and tenant.
    auto const object = events::subscription({events::item("a")});
    CHECK(result_of(world.post_payment(
              events::payment("customer.subscription.created", object, {{"id", "one"}}))) == "applied");
    auto const production =
        events::purchase("INITIAL_PURCHASE", {{"id", "one"}, {"environment", "PRODUCTION"}});
    CHECK(result_of(world.post_purchase(production)) == "applied");
    CHECK(result_of(world.post_purchase(event, "other")) == "applied");
}

TEST_CASE("the environment in the payload selects the environment of the entitlement", "[billing][purchases]")
{
    World const world;
    auto const of = [](std::string_view environment) {
        return events::purchase(
            "INITIAL_PURCHASE", {{"environment", environment}, {"product_id", environment}});
    };
    CHECK(result_of(world.post_purchase(of("SANDBOX"), "demo")) == "applied");
    CHECK(result_of(world.post_purchase(of("PRODUCTION"), "demo-sandbox")) == "applied");
    CHECK(world.entitlements("ada", "demo").size() == 1);
    CHECK(text(world.entitlement("PRODUCTION", "ada", "demo"), "environment") == "production");
    CHECK(world.entitlements("ada", "demo-sandbox").size() == 1);
    CHECK(text(world.entitlement("SANDBOX", "ada", "demo-sandbox"), "environment") == "sandbox");
    CHECK(count_events(world, "demo") == 1);
    CHECK(count_events(world, "demo-sandbox") == 1);
    CHECK(world.entitlements("ada", "other").empty());
    // An event without an environment belongs to the address it was posted to.
    CHECK(result_of(world.post_purchase(R"({"event":{"id":"t","type":"TEST"}})", "demo")) ==
          "skipped unhandled_type");
    CHECK(count_events(world, "demo") == 2);
}

TEST_CASE("the purchases secret is compared with the whole Authorization header", "[billing][purchases]")
{
    World world;
    auto client = world.client();
    auto const event = body(events::purchase("INITIAL_PURCHASE"));
    auto const with = [&](std::string const& authorization) {
        auto const r = client.post("/webhooks/purchases", event, {{"Authorization", authorization}});
        return result_of(r);
    };
    CHECK(result_of(client.post("/webhooks/purchases", event)) == "401 UNAUTHORIZED");
    for (auto const* wrong : {"purchases-secret", "Bearer purchases-secre", "Bearer purchases-secret2",
             "bearer purchases-secret", "Bearer  purchases-secret", "Bearer"})
        CHECK(with(wrong) == "401 UNAUTHORIZED");
    CHECK(with(std::string("Bearer ") + testing::master_key) == "401 UNAUTHORIZED");
    CHECK(with("Bearer " + world.key()) == "401 UNAUTHORIZED");
    CHECK(count_events(world) == 0);
    CHECK(with(purchases_secret) == "applied");
    CHECK(world.logged().find("purchases-secret") == std::string::npos);

    // Another tenant's secret is refused too.
    REQUIRE(world.as_master("other").patch("/v1/settings", R"({"purchasesSecret":"another"})").status == 200);
    CHECK(eventually([&] {
        return result_of(world.client("other").post("/webhooks/purchases", event,
                   {{"Authorization", purchases_secret}})) == "401 UNAUTHORIZED";
    }));
    CHECK(result_of(world.client("nobody").post("/webhooks/purchases", event,
              {{"Authorization", purchases_secret}})) == "404 TENANT_NOT_FOUND");
}

TEST_CASE("no event is accepted without a configured secret", "[billing][purchases]")
{
    World const world(World::Options{.configured = false});
    auto client = world.client();
    auto const event = body(events::purchase("INITIAL_PURCHASE"));
    for (auto const* authorization : {"", "Bearer", "Bearer purchases-secret"})
        CHECK(result_of(client.post("/webhooks/purchases", event, {{"Authorization", authorization}})) ==
              "401 UNAUTHORIZED");
    CHECK(result_of(world.post_payment(event)) == "401 UNAUTHORIZED");
    CHECK(count_events(world) == 0);
}

TEST_CASE("a malformed event of the purchase provider gets 400 and is archived", "[billing][purchases]")
{
    World const world;
    std::string const whole = body(events::purchase("INITIAL_PURCHASE", {{"id", "late"}}));

    struct Row {
        std::string body, error;
    };

    std::string deep(40, '[');
    std::vector<Row> const table{
        {"", "400 MALFORMED_JSON"},
        {"{", "400 MALFORMED_JSON"},
        {whole.substr(0, whole.size() - 1), "400 MALFORMED_JSON"},
        {whole.substr(0, whole.size() / 2), "400 MALFORMED_JSON"},
        {whole + whole, "400 MALFORMED_JSON"},
        {"\xFF\xFE", "400 MALFORMED_JSON"},
        {std::string("{\"event\":\"\0\"}", 13), "400 MALFORMED_JSON"},
        {R"({"event":{"id":"\ud800"}})", "400 MALFORMED_JSON"},
        {deep + std::string(40, ']'), "400 MALFORMED_JSON"},
        {"[]", "400 VALIDATION_ERROR"},
        {"null", "400 VALIDATION_ERROR"},
        {"7", "400 VALIDATION_ERROR"},
        {R"({"event":[]})", "400 VALIDATION_ERROR"},
        {body(events::purchase("INITIAL_PURCHASE", {{"id", "late"}, {"product_id", undefined}})),
            "400 VALIDATION_ERROR"},
        {body(events::purchase("RENEWAL", {{"id", "late"}, {"expiration_at_ms", 1e300}})),
            "400 VALIDATION_ERROR"},
        {R"({"event":{"id":"late","type":"RENEWAL","event_timestamp_ms":99999999999999999999999999}})",
            "400 VALIDATION_ERROR"},
    };
    for (auto const& row : table) {
        CAPTURE(row.body);
        CHECK(result_of(world.post_purchase(row.body)) == row.error);
    }
    auto backend = world.as_backend();
    auto const archived = all_items(backend, "/v1/events");
    CHECK(archived.size() == table.size());
    for (auto const& event : archived)
        CHECK(text(event, "result") == "rejected");
    CHECK(text(archived.back(), "payload") == "");
    // No malformed event has claimed the id.
    CHECK(result_of(world.post_purchase(whole)) == "applied");
    CHECK(faults_of(world.post_purchase(
              events::purchase("RENEWAL", {{"product_id", undefined}, {"app_user_id", 5}}))) ==
          "/event/app_user_id type\n/event/product_id required");
}

TEST_CASE("a user id is stored unchanged", "[billing][purchases]")
{
    World const world;
    std::string longest;
    for (int i = 0; i < 255; ++i)
        longest += "\xF0\x9F\x92\xB3";
    std::vector<std::string> const ids{" ada ", "ADA", "$RCAnonymousID:8069238d6049", "a/b?c#d%2F",
        "\xC3\xA9", "e\xCC\x81", "\xE2\x80\x8F\xD7\xA9", "line\nbreak\ttab", "'; DROP TABLE entitlements; --",
        "\\", "\"{}\"", "NULL", longest};
    for (auto const& id : ids) {
        CAPTURE(id);
        CHECK(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE", {{"app_user_id", id}}))) ==
              "applied");
        auto const has = world.entitlements(id);
        REQUIRE(has.size() == 1);
        CHECK(text(has[0], "userId") == id);
    }
}

TEST_CASE("ids of maximum length are accepted together", "[billing][purchases]")
{
    World const world;
    std::string longest;
    for (int i = 0; i < 255; ++i)
        longest += "\xF0\x9F\x92\xB3";
    auto const event = events::purchase("NON_RENEWING_PURCHASE",
        {{"app_user_id", longest}, {"product_id", longest}, {"transaction_id", longest}, {"id", longest}});
    CHECK(result_of(world.post_purchase(event)) == "applied");
    CHECK(result_of(world.post_purchase(event)) == "duplicate");
    CHECK(world.entitlements(longest).size() == 1);
    // The catalog finds a product by such an id too.
    CHECK(world.as_backend("demo")
              .post("/v1/products",
                  body({{"providerProductId", longest}, {"name", "x"}, {"kind", "consumable"}}))
              .status == 201);
    CHECK_FALSE(world.entitlements(longest).at(0).at("productId").is_null());
}

TEST_CASE("U+0000 in an unused field is accepted", "[billing][purchases]")
{
    World const world;
    json::object const attributes{{"note", json::object{{"value", std::string("a\0b", 3)}}}};
    auto const event = events::purchase("INITIAL_PURCHASE", {{"subscriber_attributes", attributes}});
    CHECK(result_of(world.post_purchase(event)) == "applied");
    CHECK(newest_event(world).at("payload") == event);
    CHECK(faults_of(world.post_purchase(events::purchase(
              "RENEWAL", {{"app_user_id", std::string("a\0b", 3)}}))) == "/event/app_user_id format");
}

TEST_CASE("each purchase of a consumable is a separate entitlement, and a refund ends only its purchase",
    "[billing][purchases]")
{
    World const world;
    json::object coins{{"product_id", "coins"}, {"expiration_at_ms", nullptr}, {"transaction_id", "T1"}};
    CHECK(result_of(world.post_purchase(events::purchase("NON_RENEWING_PURCHASE", coins))) == "applied");
    coins["transaction_id"] = "T2";
    CHECK(result_of(world.post_purchase(events::purchase("NON_RENEWING_PURCHASE", coins))) == "applied");
    REQUIRE(world.entitlements().size() == 2);
    coins["event_timestamp_ms"] = ms(3600);
    coins["cancel_reason"] = "CUSTOMER_SUPPORT";
    CHECK(result_of(world.post_purchase(events::purchase("CANCELLATION", coins))) == "applied");
    auto const has = world.entitlements();
    REQUIRE(has.size() == 2);
    CHECK(text(has[0], "status") == "expired");
    CHECK(text(has[0], "expiresAt") == rfc3339(3600));
    CHECK(text(has[1], "status") == "active");
    CHECK(text(has[1], "expiresAt") == "null");
    CHECK(has[1].at("willRenew") == false);
}

TEST_CASE("a refund that arrives before its purchase ends the purchase", "[billing][purchases]")
{
    World const world;
    json::object coins{{"product_id", "coins"}, {"expiration_at_ms", nullptr}, {"transaction_id", "T1"}};
    auto later = coins;
    later["event_timestamp_ms"] = ms(10);
    CHECK(result_of(world.post_purchase(events::purchase("CANCELLATION", later))) == "applied");
    CHECK(world.entitlements().size() == 1);
    CHECK(result_of(world.post_purchase(events::purchase("NON_RENEWING_PURCHASE", coins))) == "stale");
    auto const has = world.entitlements();
    REQUIRE(has.size() == 1);
    CHECK(text(has[0], "status") == "expired");
    CHECK(text(has[0], "expiresAt") == rfc3339(10));
}

TEST_CASE("an entitlement shows the product of the catalog", "[billing][purchases]")
{
    World const world;
    auto backend = world.as_backend();
    CHECK(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "applied");
    auto const made = world.as_backend("demo").post("/v1/products",
        R"({"providerProductId":"pro.monthly","name":"Pro","kind":"subscription","features":["export"],)"
        R"("grants":[{"name":"seats","quantity":5}]})");
    REQUIRE(made.status == 201);
    auto const e = world.entitlement("pro.monthly");
    CHECK(text(e, "productId") == text(made.json(), "productId"));
    CHECK(e.at("features") == json::array{"export"});
    CHECK(e.at("grants") == json::array{json::object{{"name", "seats"}, {"quantity", 5}}});
    auto const feature = backend.get("/v1/users/ada/features/export").json();
    CHECK(feature.at("granted") == true);
    CHECK(text(feature, "until") == text(e, "accessUntil"));
    CHECK(backend.get("/v1/users/ada/features/import").json().at("granted") == false);
}

TEST_CASE("an entitlement is not active after its end, even without an event", "[billing][purchases]")
{
    World world;
    CHECK(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "applied");
    CHECK(result_of(world.post_purchase(events::purchase("RENEWAL",
              {{"product_id", "graced"}, {"grace_period_expiration_at_ms", ms(40 * day)}}))) == "applied");
    world.clock.set(testing::FakeClock::start + std::chrono::days(30) + 1h - 1ms);
    CHECK(world.entitlement("pro.monthly").at("isActive") == true);
    world.clock.advance(1ms);
    auto const e = world.entitlement("pro.monthly");
    CHECK(text(e, "status") == "active");
    CHECK(e.at("isActive") == false);
    CHECK(world.entitlement("graced").at("isActive") == true);
    world.clock.set(testing::FakeClock::start + std::chrono::days(40));
    CHECK(world.entitlement("graced").at("isActive") == false);
}

TEST_CASE("webhooks report the entitlements that an event changed", "[billing][purchases]")
{
    World const world;
    auto backend = world.as_backend();
    auto const hook =
        backend.post("/v1/webhooks", R"({"url":"http://127.0.0.1:9/","events":["entitlement.changed"]})");
    REQUIRE(hook.status == 201);
    auto const deliveries = [&] {
        return all_items(backend, "/v1/webhooks/" + text(hook.json(), "webhookId") + "/deliveries").size();
    };
    auto const event = events::purchase("INITIAL_PURCHASE");
    CHECK(result_of(world.post_purchase(event)) == "applied");
    CHECK(deliveries() == 1);
    CHECK(result_of(world.post_purchase(event)) == "duplicate");
    CHECK(result_of(world.post_purchase(events::purchase("RENEWAL", {{"event_timestamp_ms", ms(-5)}}))) ==
          "stale");
    CHECK(deliveries() == 1);
    CHECK(result_of(world.post_purchase(events::purchase("EXPIRATION", {{"event_timestamp_ms", ms(5)}}))) ==
          "applied");
    CHECK(deliveries() == 2);
    auto const sent = json::parse(world.postgres.query(
        "SELECT payload FROM webhook_deliveries ORDER BY created_at DESC, delivery_id DESC LIMIT 1"));
    CHECK(text(sent, "type") == "entitlement.changed");
    CHECK(text(sent.at("data"), "from") == "active");
    CHECK(text(sent.at("data"), "to") == "expired");
    CHECK(text(sent.at("data").at("entitlement"), "providerProductId") == "pro.monthly");
    // Changes of the other environment are not published.
    CHECK(result_of(world.post_purchase(
              events::purchase("INITIAL_PURCHASE", {{"environment", "PRODUCTION"}}))) == "applied");
    CHECK(deliveries() == 2);
}
