#include "erasing.hpp"
#include "syncing.hpp"

#include <atomic>
#include <future>
#include <thread>
#include <vector>

// Syncs and other events: webhooks that arrive before, during and after a sync, and the archive.

namespace {

namespace json = boost::json;

/// Posts an event in production about user `ada` and product `pro`, `after_ms` after the world's time.
testing::HttpResponse happens(World const& world, std::string_view type, std::int64_t after_ms = 0)
{
    auto const now = std::chrono::floor<std::chrono::milliseconds>(world.clock.now()).time_since_epoch();
    return world.post_purchase(events::purchase(type, {{"product_id", "pro"}, {"environment", "PRODUCTION"},
                                                          {"event_timestamp_ms", now.count() + after_ms}}),
        "demo");
}

} // namespace

TEST_CASE("an event that arrives during the request to the provider is not overwritten", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.has("ada", one("pro"), {}, {{"held", true}});
    auto request = std::async(std::launch::async, [&] { return sync(world); });
    REQUIRE(eventually([&] { return provider.waiting() == 1; }));
    world.clock.advance(1min);
    REQUIRE(result_of(happens(world, "EXPIRATION")) == "applied");
    provider.release();
    auto const r = request.get();
    REQUIRE(r.status == 200);
    CHECK(lines(r.json().at("entitlements")) == "pro expired\n");
    CHECK(r.json().at("changes").as_array().empty());
}

TEST_CASE("an event that happened before a sync and arrives after it is stale", "[sync]")
{
    Synced const synced;
    auto const& [provider, world, before] = synced;
    CHECK(result_of(happens(world, "EXPIRATION", -60'000)) == "stale");
    CHECK(entitlements_of(world) == before);
    CHECK(result_of(happens(world, "EXPIRATION", 1)) == "applied");
    CHECK(lines(json::parse(entitlements_of(world)).at("entitlements")) == "pro expired\n");
}

TEST_CASE("a sync replaces what was received before its request, whatever the clocks say", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    // The clock of the provider is an hour ahead.
    REQUIRE(result_of(happens(world, "INITIAL_PURCHASE", 3'600'000)) == "applied");
    provider.has("ada", one("pro", {{"refunded_at", "2025-12-31T18:00:00Z"}}));
    auto const r = sync(world);
    REQUIRE(r.status == 200);
    CHECK(lines(r.json().at("entitlements")) == "pro expired\n");
    CHECK(r.json().at("changes").as_array().size() == 1);
    // An event from before the superseded one is stale, a later one applies.
    CHECK(result_of(happens(world, "RENEWAL", 1'800'000)) == "stale");
    CHECK(result_of(happens(world, "RENEWAL", 3'600'001)) == "applied");
    CHECK(lines_of(world) == "pro active\n");
    // A second sync in the same instant counts as later than the first one.
    CHECK(lines(sync(world).json().at("entitlements")) == "pro expired\n");
    provider.has("ada", one("pro"));
    CHECK(lines(sync(world).json().at("entitlements")) == "pro active\n");
}

TEST_CASE("the purchase in another store keeps its own state in a sync", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    auto const buys = [&](char const* store, std::int64_t days) {
        return result_of(world.post_purchase(
            events::purchase("INITIAL_PURCHASE",
                {{"product_id", "pro"}, {"environment", "PRODUCTION"}, {"store", store},
                    {"transaction_id", store}, {"expiration_at_ms", events::ms(days * events::day)}}),
            "demo"));
    };
    REQUIRE(buys("APP_STORE", 10) == "applied");
    REQUIRE(buys("PLAY_STORE", 20) == "applied");
    provider.has("ada", one("pro", {{"refunded_at", "2025-12-31T18:00:00Z"}, {"store", "play_store"}}));
    REQUIRE(sync(world).status == 200);
    auto const pro = world.entitlement("pro", "ada", "demo");
    CHECK(text(pro, "status") == "active");
    CHECK(text(pro, "store") == "APP_STORE");
    CHECK(text(pro, "expiresAt") == events::rfc3339(10 * events::day));
    // If the product is not listed at all, it ends in every store.
    world.clock.advance(1h);
    provider.has("ada", {});
    REQUIRE(sync(world).status == 200);
    CHECK(lines_of(world) == "pro expired\n");
    CHECK(
        text(world.entitlement("pro", "ada", "demo"), "accessUntil") == core::to_rfc3339(world.clock.now()));
}

TEST_CASE("what a sync finds is archived in its environment", "[sync]")
{
    Synced const synced;
    auto const& [provider, world, before] = synced;
    CHECK(archived_syncs(world) == "1");
    CHECK(archived_syncs(world, "demo-sandbox") == "0");
    auto const archived = world.as_backend("demo").get("/v1/events?type=SYNC").json().at("items").as_array();
    REQUIRE(archived.size() == 1);
    CHECK(text(archived[0], "userId") == "ada");
    CHECK(text(archived[0], "result") == "applied");

    // A confirmation is archived, too: it makes older events stale.
    world.clock.advance(1h);
    REQUIRE(sync(world).status == 200);
    CHECK(archived_syncs(world) == "2");
    // A user without purchases has nothing to archive.
    REQUIRE(sync(world, "bob").status == 200);
    CHECK(archived_syncs(world) == "2");

    world.clock.advance(1h);
    provider.has("ada", {});
    REQUIRE(sync(world).status == 200);
    auto const as_of = [&](std::string const& time) {
        return lines(require(200, world.as_backend("demo").get("/v1/users/ada/entitlements?at=" + time))
                .json()
                .at("entitlements"));
    };
    CHECK(as_of("2026-01-01T01:59:00Z") == "pro active\n");
    CHECK(as_of("2026-01-01T02:00:00Z") == "pro expired\n");
}

TEST_CASE("concurrent webhooks and syncs of one user end with the latest state", "[sync]")
{
    PurchasesProvider const provider;
    World world(options_for(provider));
    set_api_key(world);
    provider.has("ada", one("pro"));
    std::vector<std::thread> threads;
    std::atomic<int> failed = 0;
    for (int n = 0; n < 4; ++n) {
        threads.emplace_back([&, n] {
            for (int i = 0; i < 10; ++i) {
                if (happens(world, "RENEWAL", n * 10 + i - 1000).status != 200) ++failed;
            }
        });
        threads.emplace_back([&] {
            for (int i = 0; i < 3; ++i)
                if (sync(world).status != 200) ++failed;
        });
    }
    for (auto& thread : threads)
        thread.join();
    CHECK(failed == 0);
    auto const shown = json::parse(entitlements_of(world)).at("entitlements").as_array();
    REQUIRE(shown.size() == 1);
    CHECK(text(shown[0], "lastEventType") == "SYNC");
    CHECK(text(shown[0], "expiresAt") == "2026-02-01T00:00:00.000Z");
}

TEST_CASE("a sync that is in progress while the account is deleted writes nothing", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    auto both = one("pro");
    both["trial"] = subscription({{"is_sandbox", true}});
    provider.has("ada", both, {}, {{"held", true}});
    auto request = std::async(std::launch::async, [&] { return sync(world); });
    REQUIRE(eventually([&] { return provider.waiting() == 1; }));
    require(200, erasing::delete_account(world, "ada", "demo"));
    provider.release();
    CHECK(error_of(request.get()) == "NOT_FOUND");
    CHECK(world.entitlements("ada", "demo").empty());
    CHECK(world.postgres.query("SELECT count(*) FROM syncs") == "0");
    // In the other environment, the account exists. A sync there writes nothing in this one.
    provider.has("ada", both);
    CHECK(sync(world, "ada", "demo-sandbox").status == 200);
    CHECK(world.entitlements("ada", "demo-sandbox").size() == 1);
    CHECK(world.entitlements("ada", "demo").empty());
}

TEST_CASE("a sync ends a promotional grant that an event reported, or keeps it", "[sync]")
{
    PurchasesProvider const provider;
    World world(options_for(provider));
    set_api_key(world);
    constexpr auto product = "rc_promo_pro_lifetime";
    auto const granted = events::purchase("NON_RENEWING_PURCHASE",
        {{"product_id", product}, {"store", "PROMOTIONAL"}, {"period_type", "PROMOTIONAL"},
            {"transaction_id", nullptr}, {"original_transaction_id", nullptr}, {"expiration_at_ms", nullptr},
            {"environment", "PRODUCTION"}});
    REQUIRE(result_of(world.post_purchase(granted, "demo")) == "applied");
    auto const held = world.entitlement(product, "ada", "demo");
    CHECK(held.at("accessUntil").is_null());

    world.clock.advance(1h);
    provider.has("ada", one(product, {{"store", "promotional"}, {"expires_date", "2226-01-01T00:00:00Z"}}));
    REQUIRE(sync(world).status == 200);
    auto const kept = world.entitlement(product, "ada", "demo");
    CHECK(kept.at("entitlementId") == held.at("entitlementId"));
    CHECK(kept.at("isActive") == true);

    world.clock.advance(1h);
    provider.has("ada", {});
    CHECK(require(200, sync(world)).json().at("changes").as_array().size() == 1);
    auto const ended = world.entitlement(product, "ada", "demo");
    CHECK(ended.at("entitlementId") == held.at("entitlementId"));
    CHECK(ended.at("isActive") == false);
    CHECK(text(ended, "accessUntil") == core::to_rfc3339(world.clock.now()));
}

TEST_CASE("a sync that lists a consumable corrects an event that arrived before its purchase", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    for (std::string const reason : {"CUSTOMER_SUPPORT", "UNKNOWN"}) {
        CAPTURE(reason);
        json::object const coins{{"app_user_id", reason}, {"product_id", "coins"}, {"transaction_id", "t-1"},
            {"expiration_at_ms", nullptr}, {"environment", "PRODUCTION"}};
        json::object const later{{"event_timestamp_ms", events::ms(-60)}, {"cancel_reason", reason}};
        // Without its purchase, a cancellation seems to be about a subscription.
        REQUIRE(result_of(world.post_purchase(
                    events::purchase("CANCELLATION", events::changed(coins, later)), "demo")) == "applied");
        provider.has(
            reason, {}, {{"coins", json::array{purchase("t-1", {{"refunded_at", events::rfc3339(-60)}})}}});
        REQUIRE(sync(world, reason).status == 200);
        json::object const earlier{{"event_timestamp_ms", events::ms(-120)}};
        auto const bought = events::purchase("NON_RENEWING_PURCHASE", events::changed(coins, earlier));
        REQUIRE(world.post_purchase(bought, "demo").status == 200);
        auto const all = world.entitlements(reason, "demo");
        CHECK(all.size() == 1);
        for (auto const& e : all) {
            CHECK(text(e, "transactionId") == "t-1");
            CHECK(text(e, "status") == "expired");
            CHECK(e.at("isActive") == false);
        }
    }
}
