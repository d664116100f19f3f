#include "events.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>

namespace {

namespace json = boost::json;
using events::day, events::ms, events::rfc3339, events::s;

constexpr std::int64_t hour = 3600;
constexpr std::int64_t leeway = 3600; // the default

core::Time at(std::int64_t seconds)
{
    return testing::FakeClock::start + std::chrono::seconds(seconds);
}

void happens(World const& world, std::string_view type, json::object const& changes = {},
    std::string const& tenant = "demo-sandbox")
{
    INFO(type);
    REQUIRE(result_of(world.post_purchase(events::purchase(type, changes), tenant)) == "applied");
}

void set(World const& world, json::object const& settings)
{
    REQUIRE(world.as_backend("demo").patch("/v1/settings", body(settings)).status == 200);
}

/// Adds a webhook without a server, so that events are stored as deliveries.
void listen(World const& world, std::string const& tenant = "demo-sandbox")
{
    require(201, world.as_backend(tenant).post("/v1/webhooks", R"({"url":"http://127.0.0.1:9/"})"));
}

/// Moves the clock, and waits until a search for lapses has begun and ended after the move, and its jobs are
/// done. A search may have begun before the move, so it waits for the second one.
void search_at(World const& world, core::Time time)
{
    for (auto const& each : {time, time + 20s}) {
        world.clock.set(each);
        REQUIRE(eventually([&] {
            return world.postgres.query(R"(
                SELECT p.lease_owner IS NULL AND p.next_at > c.now AND NOT EXISTS (
                    SELECT FROM jobs WHERE queue IN ('lapses', 'reopenings')
                )
                FROM periodic_tasks p, test_clock c
                WHERE p.name = 'lapses')") == "t";
        }));
    }
}

/// The events `entitlement.changed` that say that access has lapsed, oldest first.
json::array lapses(World const& world)
{
    return json::parse(world.postgres.query(R"(
        SELECT coalesce(json_agg(d.payload::json -> 'data' ORDER BY d.created_at, d.delivery_id), '[]')
        FROM webhook_deliveries d
        WHERE d.payload::json -> 'data' ->> 'reason' = 'lapsed')"))
        .as_array();
}

/// The number of open entitlements.
std::string open(World const& world)
{
    return world.postgres.query("SELECT count(*) FROM entitlements WHERE is_open");
}

/// Copies the only entitlement of the scope `count` times, for other users.
void multiply(World const& world, int count, std::string const& tenant = "demo-sandbox")
{
    world.postgres.query(R"(
        INSERT INTO entitlements
        SELECT copy.*
        FROM entitlements e, generate_series(1, )" +
                         std::to_string(count) +
                         R"() AS g, LATERAL jsonb_populate_record(e, jsonb_build_object(
            'entitlement_id', gen_random_uuid(), 'user_id', 'user-' || g
        )) AS copy
        WHERE e.scope_id = )" +
                         world.scope_id(tenant));
}

} // namespace

TEST_CASE("the end of access by time is announced once", "[lapses]")
{
    World const world;
    listen(world);
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", ms(hour)}});
    search_at(world, at(hour + leeway - 60));
    CHECK(lapses(world).empty());
    CHECK(open(world) == "1");
    CHECK(world.entitlement("pro.monthly").at("isActive") == true);

    search_at(world, at(hour + leeway));
    auto const told = lapses(world);
    REQUIRE(told.size() == 1);
    CHECK(text(told[0], "from") == "active");
    CHECK(text(told[0], "to") == "active");
    auto const& entitlement = told[0].at("entitlement");
    CHECK(text(entitlement, "userId") == "ada");
    CHECK(entitlement.at("isActive") == false);
    CHECK(text(entitlement, "accessUntil") == rfc3339(hour + leeway));
    CHECK(entitlement == json::value(world.entitlement("pro.monthly")));
    CHECK(open(world) == "0");

    search_at(world, at(day));
    CHECK(lapses(world).size() == 1);
}

TEST_CASE("a renewal within the leeway is no lapse", "[lapses]")
{
    World const world;
    listen(world);
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", ms(hour)}});
    world.clock.set(at(hour + 600));
    happens(world, "RENEWAL", {{"event_timestamp_ms", ms(hour + 600)}, {"expiration_at_ms", ms(2 * day)}});
    search_at(world, at(day));
    CHECK(lapses(world).empty());
    CHECK(open(world) == "1");
}

TEST_CASE("an end of access that an event reports is not announced again", "[lapses]")
{
    World const world;
    listen(world);
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", ms(hour)}});
    world.clock.set(at(hour + 60));
    happens(world, "EXPIRATION", {{"event_timestamp_ms", ms(hour + 60)}, {"expiration_at_ms", ms(hour)}});
    CHECK(open(world) == "0");
    search_at(world, at(day));
    CHECK(lapses(world).empty());
    auto const last = json::parse(world.postgres.query(
        "SELECT payload FROM webhook_deliveries ORDER BY created_at DESC, delivery_id DESC LIMIT 1"));
    CHECK(last.at("data").at("reason").is_null());
    CHECK(text(last.at("data"), "to") == "expired");
}

TEST_CASE("grace periods, cancelled subscriptions and manual grants lapse without leeway", "[lapses]")
{
    World const world;
    listen(world);
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", ms(hour)}});
    happens(world, "BILLING_ISSUE",
        {{"expiration_at_ms", ms(hour)}, {"grace_period_expiration_at_ms", ms(3 * hour)}});
    happens(world, "INITIAL_PURCHASE", {{"app_user_id", "bob"}, {"expiration_at_ms", ms(4 * hour)}});
    happens(world, "CANCELLATION",
        {{"app_user_id", "bob"}, {"expiration_at_ms", ms(4 * hour)}, {"cancel_reason", "UNSUBSCRIBE"}});
    auto const product = require(
        201, world.as_backend("demo").post("/v1/products",
                 body({{"providerProductId", "gift"}, {"name", "A gift"}, {"kind", "subscription"}})));
    require(
        201, world.as_backend().post("/v1/users/eve/grants",
                 body({{"productId", text(product.json(), "productId")}, {"expiresAt", rfc3339(5 * hour)}})));
    for (int const hours : {3, 4, 5}) {
        CAPTURE(hours);
        search_at(world, at(hours * hour - 60));
        CHECK(lapses(world).size() == static_cast<std::size_t>(hours - 3));
        search_at(world, at(hours * hour));
        CHECK(lapses(world).size() == static_cast<std::size_t>(hours - 2));
    }
    CHECK(open(world) == "0");
}

TEST_CASE("a subscription that is past due lapses at its period's end if it gives access", "[lapses]")
{
    World const world;
    listen(world);
    set(world, {{"pastDueIsActive", true}});
    auto const subscribed = [&](std::string_view status, std::int64_t seconds) {
        REQUIRE(result_of(world.post_payment(events::payment("customer.subscription.updated",
                    events::subscription(
                        {events::item("price_pro", {{"current_period_end", s(hour)}})}, {{"status", status}}),
                    {{"created", s(seconds)}}))) == "applied");
    };
    subscribed("active", 0);
    subscribed("past_due", 60);
    search_at(world, at(hour - 60));
    CHECK(lapses(world).empty());
    CHECK(world.entitlement("price_pro").at("isActive") == true);
    search_at(world, at(hour));
    auto const told = lapses(world);
    REQUIRE(told.size() == 1);
    CHECK(text(told[0], "from") == "active");
    CHECK(told[0].at("entitlement").at("isActive") == false);
}

TEST_CASE("a change of settings ends access, and begins it again without losing a later lapse", "[lapses]")
{
    World const world;
    listen(world);
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", ms(hour)}});
    search_at(world, at(hour + 60));
    CHECK(lapses(world).empty());
    set(world, {{"renewalLeewaySeconds", 0}});
    search_at(world, at(hour + 120));
    CHECK(lapses(world).size() == 1);
    CHECK(open(world) == "0");

    set(world, {{"renewalLeewaySeconds", 86'400}});
    CHECK(world.entitlement("pro.monthly").at("isActive") == true);
    CHECK(eventually([&] { return open(world) == "1"; }));
    search_at(world, at(hour + day - 60));
    CHECK(lapses(world).size() == 1);
    search_at(world, at(hour + day));
    CHECK(lapses(world).size() == 2);
    CHECK(open(world) == "0");
}

TEST_CASE("after a change of settings, all closed entitlements are examined", "[lapses]")
{
    World const world;
    set(world, {{"renewalLeewaySeconds", 0}});
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", ms(hour)}});
    multiply(world, 4'500);
    search_at(world, at(hour + 60));
    REQUIRE(eventually([&] { return open(world) == "0"; }));
    set(world, {{"renewalLeewaySeconds", 3600}});
    CHECK(eventually([&] { return open(world) == "4501"; }));
}

TEST_CASE("a scope with many lapses does not delay other scopes, and announces each once", "[lapses]")
{
    World const world;
    for (std::string const tenant : {"demo-sandbox", "other-sandbox"}) {
        listen(world, tenant);
        happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", ms(hour)}}, tenant);
    }
    multiply(world, 450);
    search_at(world, at(day));
    CHECK(open(world) == "0");
    CHECK(lapses(world).size() == 452);
    CHECK(world.postgres.query(R"(
        SELECT count(DISTINCT payload::json #>> '{data,entitlement,entitlementId}')
        FROM webhook_deliveries
        WHERE payload::json #>> '{data,reason}' = 'lapsed')") == "452");
}

TEST_CASE("two replicas announce each lapse once", "[lapses]")
{
    World world;
    auto const replica = world.replica(world.clock);
    listen(world);
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", ms(hour)}});
    multiply(world, 250);
    // The scope gets several jobs, so that both replicas run one at the same time.
    world.clock.set(at(day));
    for (int job = 0; job < 20; ++job)
        world.postgres.query("SELECT enqueue_jobs('lapses', ARRAY[" + world.scope_id() +
                             "::bigint], ARRAY[gen_random_uuid()], ARRAY[NULL::timestamptz])");
    search_at(world, at(day + 60));
    CHECK(open(world) == "0");
    CHECK(lapses(world).size() == 251);
}

TEST_CASE("a lapse whose announcement cannot be stored is announced later", "[lapses]")
{
    World const world;
    listen(world);
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", ms(hour)}});
    world.postgres.query(R"(
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON webhook_deliveries FOR EACH ROW EXECUTE FUNCTION refuse())");
    world.clock.set(at(day));
    REQUIRE(eventually([&] {
        return world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'lapses' AND attempts > 0 AND "
                                    "lease_owner IS NULL") == "1";
    }));
    CHECK(open(world) == "1");
    world.postgres.query("DROP TRIGGER refuse ON webhook_deliveries");
    search_at(world, at(day + 600));
    CHECK(open(world) == "0");
    CHECK(lapses(world).size() == 1);
}

TEST_CASE("without webhooks, lapses are only noted", "[lapses]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", ms(hour)}});
    auto const revision = world.postgres.query("SELECT revision FROM entitlements");
    search_at(world, at(day));
    CHECK(open(world) == "0");
    CHECK(world.postgres.query("SELECT count(*) FROM webhook_deliveries") == "0");
    CHECK(world.postgres.query("SELECT revision FROM entitlements") == revision);
}
