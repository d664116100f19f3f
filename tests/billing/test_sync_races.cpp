#include "erasing.hpp"
#include "events.hpp"
#include "syncing.hpp"

#include <atomic>
#include <future>
#include <thread>
#include <vector>

// Syncs, and webhooks that arrive before, during and after a sync.

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
