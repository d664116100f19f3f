#include "reading.hpp"

#include <map>
#include <string>
#include <vector>

using namespace reading;
using events::day, events::ms, events::rfc3339;

TEST_CASE("an entitlement shows the product as it is in the catalog now", "[entitlements]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE");
    auto const raw = world.entitlement("pro.monthly");
    CHECK(text(raw, "userId") == "ada");
    CHECK(text(raw, "source") == "purchases");
    CHECK(raw.at("productId").is_null());
    CHECK(text(raw, "environment") == "sandbox");
    CHECK(text(raw, "status") == "active");
    CHECK(raw.at("isActive") == true);
    CHECK(text(raw, "accessUntil") == rfc3339(30 * day + leeway));
    CHECK(raw.at("features") == json::array());
    CHECK(raw.at("grants") == json::array());
    CHECK(text(raw, "purchasedAt") == rfc3339(-60));
    CHECK(text(raw, "expiresAt") == rfc3339(30 * day));
    CHECK(raw.at("graceUntil").is_null());
    CHECK(text(raw, "periodType") == "normal");
    CHECK(raw.at("trialEndsAt").is_null());
    CHECK(raw.at("willRenew") == true);
    CHECK(text(raw, "store") == "APP_STORE");
    CHECK(raw.at("quantity") == 1);
    CHECK(raw.at("price") == json::object{{"amount", 999}, {"currency", "NZD"}});
    CHECK(text(raw, "transactionId") == "2000000111");
    CHECK(raw.at("cancelReason").is_null());
    CHECK(raw.at("reason").is_null());
    CHECK(text(raw, "lastEventType") == "INITIAL_PURCHASE");
    CHECK(text(raw, "lastEventAt") == rfc3339(0));

    auto const grants = json::array{json::object{{"name", "seats"}, {"quantity", 5}}};
    auto const product = new_product(world, "pro.monthly", {"export"}, {{"grants", grants}});
    auto const resolved = world.entitlement("pro.monthly");
    CHECK(text(resolved, "entitlementId") == text(raw, "entitlementId"));
    CHECK(text(resolved, "productId") == product);
    CHECK(resolved.at("features") == json::array{"export"});
    CHECK(resolved.at("grants") == grants);
    CHECK(text(resolved, "updatedAt") == text(raw, "updatedAt"));

    REQUIRE(
        world.as_backend("demo").patch("/v1/products/" + product, R"({"features":["sync"]})").status == 200);
    CHECK(world.entitlement("pro.monthly").at("features") == json::array{"sync"});
    REQUIRE(world.as_backend("demo").del("/v1/products/" + product).status == 200);
    CHECK(world.entitlement("pro.monthly") == raw);
}

TEST_CASE("a user's entitlements are the same by path and by query", "[entitlements]")
{
    World const world;
    auto backend = world.as_backend();
    happens(world, "INITIAL_PURCHASE");
    happens(world, "INITIAL_PURCHASE", {{"app_user_id", "bob"}, {"product_id", "other"}});
    auto const by_path = backend.get("/v1/users/ada/entitlements");
    CHECK(by_path.json().at("entitlements").as_array().size() == 1);
    CHECK(backend.get("/v1/entitlements?userId=ada").body == by_path.body);
    CHECK(backend.get("/v1/users/nobody/entitlements").body == R"({"userId":"nobody","entitlements":[]})");
    CHECK(world.as_backend("demo").get("/v1/users/ada/entitlements").body ==
          R"({"userId":"ada","entitlements":[]})");
    CHECK(world.as_backend("other-sandbox").get("/v1/users/ada/entitlements").body ==
          R"({"userId":"ada","entitlements":[]})");

    CHECK(faults_of(backend.get("/v1/entitlements")) == "?userId required");
    CHECK(faults_of(backend.get("/v1/entitlements?userId=")) == "?userId too_short");
    std::string const longest(255, 'x');
    CHECK(backend.get("/v1/users/" + longest + "/entitlements").status == 200);
    CHECK(faults_of(backend.get("/v1/users/" + longest + "x/entitlements")) == ":userId too_long");
    CHECK(backend.get("/v1/users/%00/entitlements").status == 404);
    CHECK(backend.get("/v1/users/%FF/entitlements").status == 404);
    CHECK(world.as_user("ada", "user").get("/v1/entitlements?userId=ada").status == 403);
    CHECK(world.as_user("ada", "admin").get("/v1/users/ada/entitlements").status == 200);
    CHECK(world.client().get("/v1/users/ada/entitlements").status == 401);
}

TEST_CASE("user ids are compared bytewise", "[entitlements]")
{
    World const world;
    std::vector<std::string> const users{"ada", "Ada", " ada", "ada ", "a/b", "a%2Fb", "\u00C5", "A\u030A",
        "\U0001F469\u200D\U0001F680", "\u0627\u0644", "null", "'", "\\", "\"", "$RCAnonymousID:1"};
    for (auto const& user : users)
        happens(world, "INITIAL_PURCHASE", {{"app_user_id", user}});
    for (auto const& user : users) {
        CAPTURE(user);
        auto const found = world.entitlements(user);
        REQUIRE(found.size() == 1);
        CHECK(text(found[0], "userId") == user);
    }
}

TEST_CASE("an entitlement stops being active when access ends, regardless of its status", "[entitlements]")
{
    World world;
    new_product(world, "pro.monthly", {"export"});
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", ms(3600)}});
    happens(world, "CANCELLATION",
        {{"expiration_at_ms", ms(3600)}, {"event_timestamp_ms", ms(60)}, {"cancel_reason", "UNSUBSCRIBE"}});
    world.clock.set(testing::FakeClock::start + 59min);
    auto const before = world.entitlement("pro.monthly");
    CHECK(before.at("isActive") == true);
    CHECK(text(before, "accessUntil") == rfc3339(3600));
    CHECK(text(before, "cancelReason") == "UNSUBSCRIBE");
    CHECK(feature(world, "export") == granted(rfc3339(3600)));
    world.clock.set(testing::FakeClock::start + 60min);
    auto const over = world.entitlement("pro.monthly");
    CHECK(over.at("isActive") == false);
    CHECK(text(over, "accessUntil") == rfc3339(3600));
    CHECK(text(over, "status") == "active");
    CHECK(feature(world, "export") == not_granted);
}

TEST_CASE("access continues for the leeway while a renewal is awaited", "[entitlements]")
{
    World world;
    new_product(world, "pro.monthly", {"export"});
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", ms(3600)}});
    world.clock.set(testing::FakeClock::start + 119min);
    CHECK(world.entitlement("pro.monthly").at("isActive") == true);
    CHECK(text(world.entitlement("pro.monthly"), "expiresAt") == rfc3339(3600));
    CHECK(text(world.entitlement("pro.monthly"), "accessUntil") == rfc3339(3600 + leeway));
    CHECK(feature(world, "export") == granted(rfc3339(3600 + leeway)));
    world.clock.set(testing::FakeClock::start + 120min);
    CHECK(world.entitlement("pro.monthly").at("isActive") == false);
    CHECK(feature(world, "export") == not_granted);
}

TEST_CASE("a stated grace period extends the entitlement and its features", "[entitlements]")
{
    World world;
    new_product(world, "pro.monthly", {"export"});
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", ms(3600)}});
    happens(world, "BILLING_ISSUE",
        {{"event_timestamp_ms", ms(3600)}, {"expiration_at_ms", ms(3600)},
            {"grace_period_expiration_at_ms", ms(10'800)}});
    world.clock.set(testing::FakeClock::start + 179min);
    auto const in_grace = world.entitlement("pro.monthly");
    CHECK(in_grace.at("isActive") == true);
    CHECK(text(in_grace, "status") == "expired");
    CHECK(text(in_grace, "expiresAt") == rfc3339(3600));
    CHECK(text(in_grace, "graceUntil") == rfc3339(10'800));
    CHECK(text(in_grace, "accessUntil") == rfc3339(10'800));
    CHECK(feature(world, "export") == granted(rfc3339(10'800)));
    world.clock.set(testing::FakeClock::start + 180min);
    CHECK(world.entitlement("pro.monthly").at("isActive") == false);
    CHECK(feature(world, "export") == not_granted);
}

TEST_CASE("settings for access apply at the next read", "[entitlements]")
{
    World world;
    new_product(world, "pro.monthly", {"export"});
    new_product(world, "price_pro", {"sync"});
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", ms(3600)}});
    REQUIRE(result_of(world.post_payment(events::payment("customer.subscription.updated",
                events::subscription({events::item("price_pro")}, {{"status", "past_due"}})))) == "applied");
    auto const stored = world.entitlement("price_pro");
    CHECK(text(stored, "status") == "expired");
    CHECK(stored.at("isActive") == false);
    CHECK(feature(world, "sync") == not_granted);

    set(world, {{"pastDueIsActive", true}, {"renewalLeewaySeconds", 60}});
    auto const late = world.entitlement("price_pro");
    CHECK(text(late, "status") == "active");
    CHECK(late.at("isActive") == true);
    CHECK(text(late, "accessUntil") == rfc3339(30 * day));
    CHECK(text(late, "updatedAt") == text(stored, "updatedAt"));
    CHECK(feature(world, "sync") == granted(rfc3339(30 * day)));
    CHECK(text(world.entitlement("pro.monthly"), "accessUntil") == rfc3339(3660));
    CHECK(feature(world, "export") == granted(rfc3339(3660)));

    set(world, {{"pastDueIsActive", nullptr}, {"renewalLeewaySeconds", 0}});
    CHECK(world.entitlement("price_pro") == stored);
    CHECK(feature(world, "sync") == not_granted);
    CHECK(text(world.entitlement("pro.monthly"), "accessUntil") == rfc3339(3600));
    CHECK(feature(world, "export") == granted(rfc3339(3600)));
}

TEST_CASE("an entitlement shows the period, the price and the transaction of the purchase", "[entitlements]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE",
        {{"product_id", "trial"}, {"period_type", "TRIAL"}, {"price_in_purchased_currency", 0}});
    auto const trial = world.entitlement("trial");
    CHECK(text(trial, "periodType") == "trial");
    CHECK(text(trial, "trialEndsAt") == rfc3339(30 * day));
    CHECK(trial.at("price") == json::object{{"amount", 0}, {"currency", "NZD"}});

    happens(world, "INITIAL_PURCHASE",
        {{"product_id", "bare"}, {"period_type", nullptr}, {"currency", nullptr}, {"store", nullptr},
            {"transaction_id", nullptr}});
    auto const bare = world.entitlement("bare");
    CHECK(text(bare, "periodType") == "normal");
    CHECK(bare.at("trialEndsAt").is_null());
    CHECK(bare.at("price").is_null());
    CHECK(bare.at("store").is_null());
    CHECK(bare.at("transactionId").is_null());

    happens(world, "NON_RENEWING_PURCHASE",
        {{"product_id", "coins"}, {"transaction_id", "tx-1"}, {"currency", "JPY"}, {"quantity", 3},
            {"price_in_purchased_currency", 480}, {"expiration_at_ms", nullptr}});
    auto const coins = world.entitlement("coins");
    CHECK(text(coins, "transactionId") == "tx-1");
    CHECK(coins.at("quantity") == 3);
    CHECK(coins.at("price") == json::object{{"amount", 480}, {"currency", "JPY"}});
    CHECK(coins.at("accessUntil").is_null());

    REQUIRE(result_of(world.post_payment(events::payment("customer.subscription.created",
                events::subscription({events::item("price_pro", {{"quantity", 2}})})))) == "applied");
    auto const card = world.entitlement("price_pro");
    CHECK(text(card, "store") == "STRIPE");
    CHECK(text(card, "transactionId") == "sub_1");
    CHECK(card.at("quantity") == 2);
    CHECK(card.at("price") == json::object{{"amount", 999}, {"currency", "NZD"}});
}

TEST_CASE("the leeway after the last year of timestamps does not fail", "[entitlements]")
{
    World const world;
    new_product(world, "pro.monthly", {"export"});
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", 253'402'300'799'000}});
    CHECK(text(world.entitlement("pro.monthly"), "expiresAt") == "9999-12-31T23:59:59.000Z");
    CHECK(text(world.entitlement("pro.monthly"), "accessUntil") == "9999-12-31T23:59:59.999Z");
    CHECK(feature(world, "export") == granted("9999-12-31T23:59:59.999Z"));
}

TEST_CASE("an entitlement of an older version without a period type shows null", "[entitlements]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE");
    world.postgres.query("UPDATE entitlements SET period_type = NULL");
    CHECK(world.entitlement("pro.monthly").at("periodType").is_null());
}

TEST_CASE("a feature is granted until the last entitlement with it ends", "[features]")
{
    World const world;
    auto backend = world.as_backend();
    auto const monthly = new_product(world, "pro.monthly", {"export", "a/b & ü"});
    new_product(world, "pro.yearly", {"export"});
    new_product(world, "lifetime", {"sync"});
    CHECK(feature(world, "export") == not_granted);
    happens(world, "INITIAL_PURCHASE");
    CHECK(feature(world, "export") == granted(rfc3339(30 * day + leeway)));
    CHECK(feature(world, "a/b & ü") == granted(rfc3339(30 * day + leeway)));
    CHECK(feature(world, "EXPORT") == not_granted);
    CHECK(feature(world, "unheard-of") == not_granted);
    CHECK(feature(world, "export", "bob") == not_granted);
    CHECK(feature(world, "export", "ada", "demo") == not_granted);

    happens(world, "INITIAL_PURCHASE", {{"product_id", "pro.yearly"}, {"expiration_at_ms", ms(365 * day)}});
    CHECK(feature(world, "export") == granted(rfc3339(365 * day + leeway)));
    happens(world, "INITIAL_PURCHASE", {{"product_id", "lifetime"}, {"expiration_at_ms", nullptr}});
    CHECK(feature(world, "sync") == granted("null"));
    REQUIRE(world.as_backend("demo")
                .patch("/v1/products/" + monthly, R"({"features":["export","sync"]})")
                .status == 200);
    CHECK(feature(world, "sync") == granted("null"));

    happens(world, "EXPIRATION", {{"product_id", "pro.yearly"}, {"event_timestamp_ms", ms(0)}});
    CHECK(feature(world, "export") == granted(rfc3339(30 * day + leeway)));
    happens(world, "SUBSCRIPTION_PAUSED", {{"event_timestamp_ms", ms(0)}});
    CHECK(feature(world, "export") == granted(rfc3339(30 * day)));
    happens(world, "EXPIRATION", {{"event_timestamp_ms", ms(0)}});
    CHECK(feature(world, "export") == not_granted);
    CHECK(backend.get("/v1/users/" + std::string(256, 'x') + "/features/export").status == 400);
}
