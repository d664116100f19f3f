#include "erasing.hpp"
#include "syncing.hpp"
#include "workers/reconciler.hpp"

namespace {

namespace json = boost::json;

core::Time at(std::string_view time)
{
    return core::parse_rfc3339(time).value();
}

/// Waits until the reconciler has searched for tenants after `time`, and is not searching now.
void wait_for_round(World const& world, std::string const& time)
{
    auto const is_done = "SELECT next_at > '" + time +
                         "' AND lease_owner IS NULL FROM periodic_tasks WHERE name = 'reconcile'";
    REQUIRE(eventually([&] { return world.postgres.query(is_done) == "t"; }));
}

} // namespace

TEST_CASE("a user whose subscription should have been renewed is synced", "[reconciler]")
{
    PurchasesProvider const provider;
    World world(options_for(provider));
    set_api_key(world);
    provider.has("ada", one("pro"));
    provider.has("bob", one("pro", {{"is_sandbox", true}}));
    for (auto const* user : {"ada", "bob"})
        REQUIRE(sync(world, user).status == 200);
    provider.has("ada", one("pro", {{"expires_date", "2026-03-01T00:00:00Z"}}));
    world.clock.set(at("2026-02-01T01:00:00Z"));
    auto const shows = [&](char const* user, char const* tenant, std::string const& end) {
        return entitlements_of(world, user, tenant).find(end) != std::string::npos;
    };
    CHECK(eventually([&] { return shows("ada", "demo", R"("expiresAt":"2026-03-01T00:00:00.000Z")"); }));
    CHECK(eventually([&] { return shows("bob", "demo-sandbox", R"("status":"expired")"); }));
    CHECK(provider.seen("ada") == 2);
    auto const entries =
        world.as_backend("demo").get("/v1/audit?actor=system:reconciler").json().at("items").as_array();
    REQUIRE(entries.size() == 1);
    CHECK(text(entries[0], "subjectId") == "ada");
}

TEST_CASE(
    "users are not synced before their subscription ends, or if their tenant has no key", "[reconciler]")
{
    PurchasesProvider const provider;
    World world(options_for(provider));
    set_api_key(world, "demo");
    set_api_key(world, "other");
    provider.has("*", one("pro"));
    for (auto const* tenant : {"demo", "other"})
        REQUIRE(sync(world, "ada", tenant).status == 200);
    REQUIRE(world.as_backend("other").patch("/v1/settings", R"({"purchasesApiKey":null})").status == 200);
    provider.has("bob", one("later", {{"expires_date", "2026-06-01T00:00:00Z"}}));
    REQUIRE(sync(world, "bob", "demo").status == 200);
    world.clock.set(at("2026-02-01T01:00:00Z"));
    REQUIRE(eventually(
        [&] { return provider.seen("ada") == 3; })); // one sync by each tenant, and one by the reconciler
    CHECK(eventually(
        [&] { return world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'reconcile'") == "0"; }));
    CHECK(provider.seen("bob") == 1);
    CHECK(provider.seen("ada") == 3);
    CHECK(entitlements_of(world, "ada", "other").find(R"("status":"active")") != std::string::npos);
}

TEST_CASE("the reconciler obeys the provider's Retry-After", "[reconciler]")
{
    PurchasesProvider const provider;
    World world(options_for(provider));
    set_api_key(world);
    for (auto const* user : {"ada", "bob", "eve"}) {
        provider.has(user, one("pro"));
        REQUIRE(sync(world, user).status == 200);
    }
    auto const limited =
        json::object{{"status", 429}, {"text", "{}"}, {"headers", json::object{{"retry-after", "600"}}}};
    for (auto const* user : {"ada", "bob", "eve"})
        provider.answers(user, limited);
    auto const asked = [&] { return provider.seen().size() - 3; };
    world.clock.set(at("2026-02-01T01:00:00Z"));
    REQUIRE(eventually([&] { return asked() == 1; }));
    auto const until = "SELECT not_before = '2026-02-01T01:10:00Z' FROM syncs WHERE user_id = ''";
    REQUIRE(eventually([&] { return world.postgres.query(until) == "t"; }));

    for (auto const* user : {"ada", "bob", "eve"})
        provider.has(user, {});
    world.clock.advance(9min); // the reconciler searches for tenants several times, all within the pause
    wait_for_round(world, "2026-02-01T01:09:00Z");
    CHECK(asked() == 1);
    world.clock.advance(2min);
    CHECK(eventually([&] { return asked() == 4; }));
    CHECK(eventually([&] {
        return world.postgres.query("SELECT count(*) FROM entitlements WHERE status = 'active'") == "0";
    }));
}

TEST_CASE("a user unknown to the provider does not delay others", "[reconciler]")
{
    PurchasesProvider const provider;
    World world(options_for(provider));
    set_api_key(world);
    for (auto const* user : {"ada", "bob"}) {
        provider.has(user, one("pro"));
        REQUIRE(sync(world, user).status == 200);
    }
    provider.answers("ada", {{"status", 404}, {"text", "{}"}});
    provider.has("bob", {});
    world.clock.set(at("2026-02-01T01:00:00Z"));
    CHECK(eventually([&] { return provider.seen("bob") == 2; }));
    CHECK(eventually([&] {
        return world.postgres.query(
                   "SELECT not_before = '2026-02-02T01:00:00Z' FROM syncs WHERE user_id = 'ada'") == "t";
    }));
    CHECK(provider.seen("ada") == 2);
    CHECK(entitlements_of(world, "ada").find(R"("status":"active")") != std::string::npos);
}

TEST_CASE("a refused key is not used again until it changes", "[reconciler]")
{
    PurchasesProvider const provider;
    World world(options_for(provider));
    set_api_key(world);
    provider.has("ada", one("pro"));
    REQUIRE(sync(world).status == 200);
    provider.answers("ada", {{"status", 401}, {"text", "{}"}});
    world.clock.set(at("2026-02-01T01:00:00Z"));
    REQUIRE(eventually(
        [&] { return world.postgres.query("SELECT count(*) FROM syncs WHERE user_id = ''") == "1"; }));
    CHECK(provider.seen("ada") == 2);

    provider.has("ada", {});
    REQUIRE(world.as_backend("demo").patch("/v1/settings", R"({"purchasesApiKey":"sk_new"})").status == 200);
    world.clock.advance(1min);
    CHECK(eventually([&] { return provider.seen("ada") == 3; }));
    CHECK(provider.seen().back().at("authorization") == "Bearer sk_new");
}

TEST_CASE("a user whose sync cannot be written does not delay others", "[reconciler]")
{
    PurchasesProvider const provider;
    World world(options_for(provider));
    set_api_key(world);
    for (auto const* user : {"ada", "bob"}) {
        provider.has(user, one("pro"));
        REQUIRE(sync(world, user).status == 200);
        provider.has(user, {});
    }
    world.postgres.query(R"(
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END
            $$; CREATE TRIGGER refuse BEFORE
        UPDATE ON entitlements FOR EACH ROW WHEN (NEW.user_id = 'ada') EXECUTE FUNCTION refuse())");
    world.clock.set(at("2026-02-01T01:00:00Z"));
    auto const put_off = R"(
        SELECT count(*)
        FROM jobs
        WHERE queue = 'reconcile' AND lease_owner IS NULL AND attempts > 0)";
    REQUIRE(eventually([&] { return world.postgres.query(put_off) == "1"; }));
    CHECK(provider.seen("ada") == 2);
    CHECK(provider.seen("bob") == 1);
    world.clock.advance(10min); // after the lease of the first attempt
    CHECK(eventually([&] { return provider.seen("bob") == 2; }));
    CHECK(provider.seen("ada") == 2);
    CHECK(entitlements_of(world, "ada").find(R"("status":"active")") != std::string::npos);
}

TEST_CASE("a purchase in a billing issue is synced every hour after its period", "[reconciler]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    auto const event =
        events::purchase("BILLING_ISSUE", {{"product_id", "pro"}, {"environment", "PRODUCTION"},
                                              {"expiration_at_ms", events::ms(30 * events::day)}});
    REQUIRE(result_of(world.post_purchase(event, "demo")) == "applied");
    provider.has("ada", one("pro", {{"billing_issues_detected_at", "2026-01-30T00:00:00Z"},
                                       {"expires_date", "2026-01-31T00:00:00Z"}}));
    world.clock.set(at("2026-01-31T00:10:00Z"));
    auto const waits = "SELECT not_before = '2026-01-31T01:10:00Z' FROM syncs WHERE user_id = 'ada'";
    REQUIRE(eventually([&] { return world.postgres.query(waits) == "t"; }));
    CHECK(provider.seen("ada") == 1);
    CHECK(lines_of(world) == "pro expired\n");

    SECTION("nothing changes")
    {
        auto const before = world.entitlements("ada", "demo");
        REQUIRE(archived_syncs(world) == "1");
        world.clock.advance(61min);
        auto const waits_again =
            "SELECT not_before > '2026-01-31T02:00:00Z' FROM syncs WHERE user_id = 'ada'";
        CHECK(eventually([&] { return world.postgres.query(waits_again) == "t"; }));
        CHECK(provider.seen("ada") == 2);
        CHECK(archived_syncs(world) == "1");
        CHECK(world.entitlements("ada", "demo") == before);
    }
    SECTION("the payment succeeds without an event")
    {
        provider.has("ada", one("pro", {{"expires_date", "2026-02-28T00:00:00Z"}}));
        world.clock.advance(61min);
        CHECK(eventually([&] { return lines_of(world) == "pro active\n"; }));
        CHECK(eventually([&] { return world.postgres.query("SELECT count(*) FROM syncs") == "0"; }));
        CHECK(provider.seen("ada") == 2);
    }
    SECTION("the store gives up")
    {
        world.clock.set(at("2026-04-10T00:00:00Z"));
        wait_for_round(world, "2026-04-10T00:00:00Z");
        CHECK(provider.seen("ada") == 1);
    }
}

TEST_CASE("a paused purchase is synced every day after its period", "[reconciler]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.has("ada", one("pro", {{"auto_resume_date", "2026-05-01T00:00:00Z"}}));
    REQUIRE(sync(world).status == 200);
    REQUIRE(lines_of(world) == "pro paused\n");
    world.clock.set(at("2026-02-01T00:10:00Z"));
    auto const waits = "SELECT not_before = '2026-02-02T00:10:00Z' FROM syncs WHERE user_id = 'ada'";
    REQUIRE(eventually([&] { return world.postgres.query(waits) == "t"; }));
    CHECK(provider.seen("ada") == 2);
    provider.has("ada", one("pro", {{"expires_date", "2026-03-01T00:00:00Z"}}));
    world.clock.advance(25h);
    CHECK(eventually([&] { return lines_of(world) == "pro active\n"; }));
    CHECK(provider.seen("ada") == 3);
}

TEST_CASE("a purchase in its grace period is not synced before the period ends", "[reconciler]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.has("ada", one("pro", {{"billing_issues_detected_at", "2026-01-01T00:00:00Z"},
                                       {"grace_period_expires_date", "2026-02-10T00:00:00Z"}}));
    REQUIRE(sync(world).status == 200);
    world.clock.set(at("2026-02-09T00:00:00Z"));
    wait_for_round(world, "2026-02-09T00:00:00Z");
    CHECK(provider.seen("ada") == 1);
    world.clock.set(at("2026-02-10T00:01:00Z"));
    CHECK(eventually([&] { return provider.seen("ada") == 2; }));
    CHECK(eventually([&] { return lines_of(world) == "pro expired\n"; }));
}

TEST_CASE("the reconciler does not bring back a user whose account was deleted", "[reconciler]")
{
    PurchasesProvider const provider;
    World world(options_for(provider));
    set_api_key(world);
    provider.has("*", one("pro"));
    for (auto const* user : {"ada", "bob", "eve"})
        REQUIRE(sync(world, user).status == 200);
    require(200, erasing::delete_account(world, "ada", "demo"));
    auto const renewed = one("pro", {{"expires_date", "2026-03-01T00:00:00Z"}});
    provider.has("bob", renewed, {}, {{"held", true}});
    provider.has("eve", renewed);
    world.clock.set(at("2026-02-01T01:00:00Z"));
    // The account of bob is deleted while the reconciler waits for the provider.
    REQUIRE(eventually([&] { return provider.waiting() == 1; }));
    require(200, erasing::delete_account(world, "bob", "demo"));
    provider.release();
    CHECK(eventually([&] {
        return entitlements_of(world, "eve").find(R"("expiresAt":"2026-03-01T00:00:00.000Z")") !=
               std::string::npos;
    }));
    CHECK(eventually([&] { return world.postgres.query("SELECT count(*) FROM syncs") == "0"; }));
    CHECK(provider.seen("ada") == 1);
    CHECK(world.entitlements("ada", "demo").empty());
    CHECK(world.entitlements("bob", "demo").empty());
}

TEST_CASE("the provider's failures delay the user or the tenant", "[reconciler]")
{
    using Error = billing::ProviderApiError;
    using Kind = Error::Kind;
    auto const start = testing::FakeClock::start;
    auto const times_after = [&](Error const& error, unsigned attempts = 1) {
        return billing::reconciler::retry_times(error, attempts, start, 12345);
    };
    auto const limited = times_after(Error(Kind::throttled, "status 429", std::chrono::seconds(90)));
    CHECK_FALSE(limited.user_not_before);
    CHECK(limited.tenant_not_before == start + 90s);
    auto const busy = times_after(Error(Kind::unavailable, "status 503", std::chrono::seconds(20)));
    CHECK(busy.tenant_not_before == start + 20s);

    auto const unknown = times_after(Error(Kind::unknown_user, "status 404"));
    CHECK(unknown.user_not_before == start + 24h);
    CHECK_FALSE(unknown.tenant_not_before);
    CHECK(times_after(Error(Kind::refused, "status 401")).tenant_not_before == start + 1h);

    for (auto const kind : {Kind::throttled, Kind::unavailable, Kind::nonsense}) {
        auto const first = times_after(Error(kind, "trouble")),
                   later = times_after(Error(kind, "trouble"), 20);
        CHECK(first.tenant_not_before >= start + 15s);
        CHECK(first.tenant_not_before <= start + 30s);
        CHECK(later.tenant_not_before >= start + 5min);
        CHECK(later.tenant_not_before <= start + 10min);
    }
    CHECK(times_after(Error(Kind::nonsense, "no JSON")).user_not_before == start + 1h);
}
