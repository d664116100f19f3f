#include "syncing.hpp"

namespace {

namespace json = boost::json;

core::Time at(std::string_view time)
{
    return core::parse_rfc3339(time).value();
}

} // namespace

TEST_CASE("a user whose subscription should have been renewed is synced", "[reconciler]")
{
    Platform const platform;
    World world(asking(platform));
    give_key(world);
    platform.has("ada", one("pro"));
    platform.has("bob", one("pro", {{"is_sandbox", true}}));
    for (auto const* user : {"ada", "bob"})
        REQUIRE(sync(world, user).status == 200);
    platform.has("ada", one("pro", {{"expires_date", "2026-03-01T00:00:00Z"}}));
    world.clock.set(at("2026-02-01T01:00:00Z"));
    auto const shows = [&](char const* user, char const* tenant, std::string const& end) {
        return entitlements_of(world, user, tenant).find(end) != std::string::npos;
    };
    CHECK(eventually([&] { return shows("ada", "demo", R"("expiresAt":"2026-03-01T00:00:00.000Z")"); }));
    CHECK(eventually([&] { return shows("bob", "demo-sandbox", R"("status":"expired")"); }));
    CHECK(platform.seen("ada") == 2);
    auto const entries =
        world.as_backend("demo").get("/v1/audit?actor=system:reconciler").json().at("items").as_array();
    REQUIRE(entries.size() == 1);
    CHECK(text(entries[0], "subjectId") == "ada");
}

TEST_CASE(
    "users are not synced before their subscription ends, or if their tenant has no key", "[reconciler]")
{
    Platform const platform;
    World world(asking(platform));
    give_key(world, "demo");
    give_key(world, "other");
    platform.has("*", one("pro"));
    for (auto const* tenant : {"demo", "other"})
        REQUIRE(sync(world, "ada", tenant).status == 200);
    REQUIRE(world.as_backend("other").patch("/v1/settings", R"({"purchasesApiKey":null})").status == 200);
    platform.has("bob", one("later", {{"expires_date", "2026-06-01T00:00:00Z"}}));
    REQUIRE(sync(world, "bob", "demo").status == 200);
    world.clock.set(at("2026-02-01T01:00:00Z"));
    REQUIRE(eventually(
        [&] { return platform.seen("ada") == 3; })); // one sync by each tenant, and one by the reconciler
    CHECK(eventually(
        [&] { return world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'reconcile'") == "0"; }));
    CHECK(platform.seen("bob") == 1);
    CHECK(platform.seen("ada") == 3);
    CHECK(entitlements_of(world, "ada", "other").find(R"("status":"active")") != std::string::npos);
}

TEST_CASE("the reconciler obeys the platform's Retry-After", "[reconciler]")
{
    Platform const platform;
    World world(asking(platform));
    give_key(world);
    for (auto const* user : {"ada", "bob", "eve"}) {
        platform.has(user, one("pro"));
        REQUIRE(sync(world, user).status == 200);
    }
    auto const limited =
        json::object{{"status", 429}, {"text", "{}"}, {"headers", json::object{{"retry-after", "600"}}}};
    for (auto const* user : {"ada", "bob", "eve"})
        platform.answers(user, limited);
    auto const asked = [&] { return platform.seen().size() - 3; };
    world.clock.set(at("2026-02-01T01:00:00Z"));
    REQUIRE(eventually([&] { return asked() == 1; }));
    auto const until = "SELECT not_before = '2026-02-01T01:10:00Z' FROM syncs WHERE user_id = ''";
    REQUIRE(eventually([&] { return world.postgres.query(until) == "t"; }));

    for (auto const* user : {"ada", "bob", "eve"})
        platform.has(user, {});
    world.clock.advance(9min); // the reconciler searches for tenants several times, all within the pause
    auto const rounds =
        "SELECT next_at > '2026-02-01T01:09:00Z' FROM periodic_tasks WHERE name = 'reconcile'";
    REQUIRE(eventually([&] { return world.postgres.query(rounds) == "t"; }));
    CHECK(asked() == 1);
    world.clock.advance(2min);
    CHECK(eventually([&] { return asked() == 4; }));
    CHECK(eventually([&] {
        return world.postgres.query("SELECT count(*) FROM entitlements WHERE status = 'active'") == "0";
    }));
}

TEST_CASE("a user unknown to the platform does not delay others", "[reconciler]")
{
    Platform const platform;
    World world(asking(platform));
    give_key(world);
    for (auto const* user : {"ada", "bob"}) {
        platform.has(user, one("pro"));
        REQUIRE(sync(world, user).status == 200);
    }
    platform.answers("ada", {{"status", 404}, {"text", "{}"}});
    platform.has("bob", {});
    world.clock.set(at("2026-02-01T01:00:00Z"));
    CHECK(eventually([&] { return platform.seen("bob") == 2; }));
    CHECK(eventually([&] {
        return world.postgres.query(
                   "SELECT not_before = '2026-02-02T01:00:00Z' FROM syncs WHERE user_id = 'ada'") == "t";
    }));
    CHECK(platform.seen("ada") == 2);
    CHECK(entitlements_of(world, "ada").find(R"("status":"active")") != std::string::npos);
}

TEST_CASE("a refused key is not used again until it changes", "[reconciler]")
{
    Platform const platform;
    World world(asking(platform));
    give_key(world);
    platform.has("ada", one("pro"));
    REQUIRE(sync(world).status == 200);
    platform.answers("ada", {{"status", 401}, {"text", "{}"}});
    world.clock.set(at("2026-02-01T01:00:00Z"));
    REQUIRE(eventually(
        [&] { return world.postgres.query("SELECT count(*) FROM syncs WHERE user_id = ''") == "1"; }));
    CHECK(platform.seen("ada") == 2);

    platform.has("ada", {});
    REQUIRE(world.as_backend("demo").patch("/v1/settings", R"({"purchasesApiKey":"sk_new"})").status == 200);
    world.clock.advance(1min);
    CHECK(eventually([&] { return platform.seen("ada") == 3; }));
    CHECK(platform.seen().back().at("authorization") == "Bearer sk_new");
}

TEST_CASE("a user whose sync cannot be written does not delay others", "[reconciler]")
{
    Platform const platform;
    World world(asking(platform));
    give_key(world);
    for (auto const* user : {"ada", "bob"}) {
        platform.has(user, one("pro"));
        REQUIRE(sync(world, user).status == 200);
        platform.has(user, {});
    }
    world.postgres.query("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
                         "$$ BEGIN RAISE EXCEPTION 'no'; END $$; "
                         "CREATE TRIGGER refuse BEFORE UPDATE ON entitlements FOR EACH ROW "
                         "WHEN (NEW.user_id = 'ada') EXECUTE FUNCTION refuse()");
    world.clock.set(at("2026-02-01T01:00:00Z"));
    auto const put_off = "SELECT count(*) FROM jobs WHERE queue = 'reconcile' AND lease_owner IS NULL AND "
                         "attempts > 0";
    REQUIRE(eventually([&] { return world.postgres.query(put_off) == "1"; }));
    CHECK(platform.seen("ada") == 2);
    CHECK(platform.seen("bob") == 1);
    world.clock.advance(10min); // after the lease of the first attempt
    CHECK(eventually([&] { return platform.seen("bob") == 2; }));
    CHECK(platform.seen("ada") == 2);
    CHECK(entitlements_of(world, "ada").find(R"("status":"active")") != std::string::npos);
}
