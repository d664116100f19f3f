#include "access_state.hpp"
#include "erasing.hpp"
#include "reading.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

// The events of a suspended tenant are archived, and applied when the tenant resumes.

using namespace reading;
using access_state::since, access_state::until;
using events::day, events::ms, events::s;

namespace {

void change_status(World const& world, std::string const& status)
{
    require(200,
        world.as_master().put("/v1/admin/tenants/demo", body({{"displayName", "Demo"}, {"status", status}})));
}

/// The result of an event without an effect.
std::string result_of_probe(World const& world)
{
    return result_of(world.post_purchase(
        {{"event", json::object{{"id", core::Uuid::v7().to_string()}, {"type", "TEST"}}}}));
}

/// Suspends the tenant, and waits until the service has noticed it.
void suspend(World const& world)
{
    change_status(world, "suspended");
    REQUIRE(eventually([&] { return result_of_probe(world) == "deferred"; }));
}

/// Resumes the tenant, and waits until the service has noticed it. The deferred events still wait, because
/// the clock stands still.
void resume(World const& world)
{
    change_status(world, "active");
    REQUIRE(eventually([&] { return result_of_probe(world) == "skipped unhandled_type"; }));
}

std::string waiting(World const& world)
{
    return world.postgres.query("SELECT count(*) FROM deferred_events");
}

/// Moves the clock until no event is deferred any more.
void apply_deferred(World& world)
{
    REQUIRE(eventually([&] {
        world.clock.advance(5s);
        return waiting(world) == "0";
    }));
}

void defer(World const& world, json::object const& event, bool is_payment = false)
{
    auto const r = is_payment ? world.post_payment(event) : world.post_purchase(event);
    INFO(r.body);
    REQUIRE(result_of(r) == "deferred");
}

/// The archived event.
json::object archived(World const& world, std::string const& id)
{
    auto backend = world.as_backend();
    for (auto const& event : all_items(backend, "/v1/events"))
        if (text(event, "eventId") == id) return event.as_object();
    throw std::runtime_error("the archive has no event " + id);
}

} // namespace

TEST_CASE("deferred events are applied when the tenant resumes", "[deferred]")
{
    World world;
    happens(world, "INITIAL_PURCHASE", {{"id", "bought"}});
    suspend(world);
    defer(world, events::purchase("RENEWAL", {{"id", "renewed"}, {"event_timestamp_ms", ms(30 * day)},
                                                 {"expiration_at_ms", ms(60 * day)}}));
    defer(world, events::payment("customer.subscription.created", events::subscription({events::item("a")})),
        true);
    defer(
        world, events::purchase("CANCELLATION", {{"id", "cancelled"}, {"event_timestamp_ms", ms(20 * day)}}));
    CHECK(text(world.as_master().get("/v1/users/ada/entitlements").json().at("entitlements").at(0),
              "lastEventType") == "INITIAL_PURCHASE");
    resume(world);
    CHECK(text(archived(world, "renewed"), "result") == "deferred");
    CHECK(access_state::of(world) == until("active", 30 * day + leeway));
    auto const received_at = text(archived(world, "renewed"), "receivedAt");

    apply_deferred(world);
    CHECK(access_state::of(world) == until("active", 60 * day + leeway));
    CHECK(access_state::of(world, "a") == until("active", 30 * day + leeway));
    CHECK(text(world.entitlement("pro.monthly"), "updatedAt") == received_at);
    CHECK(text(archived(world, "renewed"), "result") == "applied");
    CHECK(text(archived(world, "renewed"), "receivedAt") == received_at);
    CHECK(text(archived(world, "cancelled"), "result") == "stale");
}

TEST_CASE("deferred events wait while the tenant is suspended", "[deferred]")
{
    World world;
    suspend(world);
    defer(world, events::purchase("INITIAL_PURCHASE"));
    auto const runs = [&] {
        return world.postgres.query(
                   "SELECT p.next_at > c.now AND p.lease_owner IS NULL "
                   "FROM periodic_tasks p, test_clock c WHERE p.name = 'deferred-events'") == "t";
    };
    for (int round = 0; round < 2; ++round) { // the first run may have begun before the event was deferred
        world.clock.advance(10s);
        REQUIRE(eventually(runs));
    }
    CHECK(world.as_master().get("/v1/users/ada/entitlements").json().at("entitlements") == json::array());
    CHECK(world.as_master().get("/v1/events?type=INITIAL_PURCHASE").json().at("items").at(0).at("result") ==
          "deferred");
}

TEST_CASE("an event that is deferred claims its id", "[deferred]")
{
    World world;
    auto const event = events::purchase("INITIAL_PURCHASE");
    suspend(world);
    defer(world, event);
    CHECK(result_of(world.post_purchase(event)) == "duplicate");
    resume(world);
    CHECK(result_of(world.post_purchase(event)) == "duplicate");
    CHECK(world.entitlements().empty());
    apply_deferred(world);
    CHECK(result_of(world.post_purchase(event)) == "duplicate");
    CHECK(world.entitlements().size() == 1);
}

TEST_CASE("a replay of a deferred event leaves it deferred", "[deferred]")
{
    World world;
    suspend(world);
    defer(world, events::purchase("INITIAL_PURCHASE", {{"id", "bought"}}));
    resume(world);
    auto const replayed = require(200, world.as_backend().post("/v1/events/bought/replay", ""));
    CHECK(text(replayed.json(), "result") == "deferred");
    CHECK(world.entitlements().empty());
    apply_deferred(world);
    CHECK(world.entitlements().size() == 1);
    CHECK(text(require(200, world.as_backend().post("/v1/events/bought/replay", "")).json(), "result") ==
          "duplicate");
}

TEST_CASE("an event that arrives before the deferred events are applied is not undone by them", "[deferred]")
{
    World world;
    suspend(world);
    defer(world, events::purchase("INITIAL_PURCHASE", {{"id", "bought"}}));
    resume(world);
    happens(world, "EXPIRATION", {{"event_timestamp_ms", ms(100)}});
    apply_deferred(world);
    CHECK(access_state::of(world) == since("expired", 100));
    CHECK(text(archived(world, "bought"), "result") == "stale");
}

TEST_CASE("a deferred invoice waits for its subscription", "[deferred]")
{
    World world;
    suspend(world);
    defer(world, events::payment("invoice.paid", events::invoice("a"), {{"created", s(10)}}), true);
    resume(world);
    apply_deferred(world);
    auto backend = world.as_backend();
    CHECK(
        text(all_items(backend, "/v1/events?type=invoice.paid").at(0), "reason") == "awaiting_subscription");
    auto const incomplete = events::subscription({events::item("a")}, {{"status", "incomplete"}});
    REQUIRE(result_of(world.post_payment(events::payment("customer.subscription.created", incomplete))) ==
            "applied");
    CHECK(access_state::of(world, "a") == until("active", 60 * day + leeway));
}

TEST_CASE("a deferred refund is applied to its purchase, whichever arrived first", "[deferred]")
{
    World world;
    new_product(world, "coins", {}, {{"kind", "consumable"}});
    auto const paid = events::payment("checkout.session.completed", events::checkout_session());
    auto const refunded =
        events::payment("charge.refunded", events::refunded_charge(), {{"created", s(10)}, {"id", "refund"}});
    suspend(world);
    defer(world, refunded, true);
    resume(world);
    REQUIRE(result_of(world.post_payment(paid)) == "applied");
    CHECK(world.entitlement("coins").at("isActive") == true);
    apply_deferred(world);
    CHECK(access_state::of(world, "coins") == since("expired", 10));
    CHECK(text(archived(world, "refund"), "result") == "applied");
    CHECK(text(archived(world, "refund"), "userId") == "ada");
}

TEST_CASE("the provider is asked about a deferred refund of an unknown charge", "[deferred]")
{
    World world;
    set(world, {{"paymentsApiKey", "sk_test_key"}});
    suspend(world);
    defer(world, events::payment("charge.refunded", events::refunded_charge()), true);
    resume(world);
    apply_deferred(world);
    CHECK(world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'unknown-charges'") == "1");
}

TEST_CASE("deferred events are announced to webhooks when they are applied", "[deferred]")
{
    World world;
    require(201, world.as_backend().post("/v1/webhooks", R"({"url":"http://127.0.0.1:9/"})"));
    auto const deliveries = [&] { return world.postgres.query("SELECT count(*) FROM webhook_deliveries"); };
    suspend(world);
    defer(world, events::purchase("INITIAL_PURCHASE"));
    resume(world);
    CHECK(deliveries() == "0");
    apply_deferred(world);
    CHECK(deliveries() == "1");
}

TEST_CASE("a deferred event of a user who was erased meanwhile is not applied", "[deferred]")
{
    World world;
    suspend(world);
    defer(world, events::purchase("INITIAL_PURCHASE", {{"id", "of ada"}}));
    defer(world, events::purchase("INITIAL_PURCHASE", {{"app_user_id", "bob"}}));
    resume(world);
    require(200, erasing::erase(world, "ada"));
    apply_deferred(world);
    CHECK(world.entitlements().empty());
    CHECK(world.entitlements("bob").size() == 1);
    auto const erased = archived(world, "of ada");
    CHECK(text(erased, "result") == "skipped");
    CHECK(text(erased, "reason") == "user_erased");
}

TEST_CASE("a deferred event that the archive has dropped does not delay the others", "[deferred]")
{
    World world;
    suspend(world);
    defer(world, events::purchase("INITIAL_PURCHASE", {{"id", "dropped"}}));
    defer(world, events::purchase("INITIAL_PURCHASE", {{"app_user_id", "bob"}}));
    // The archive drops old months also while a tenant is suspended.
    world.postgres.query(R"(
        UPDATE events SET received_at = '2001-01-05Z' WHERE event_id = 'dropped';
        UPDATE deferred_events d SET received_at = e.received_at
        FROM events e
        WHERE e.event_id = 'dropped' AND d.archive_id = e.archive_id)");
    while (world.postgres.query("SELECT maintain_events(24, 10000)") == "t") {
    }
    CHECK(world.postgres.query("SELECT count(*) FROM events WHERE event_id = 'dropped'") == "0");
    resume(world);
    apply_deferred(world);
    CHECK(world.entitlements().empty());
    CHECK(world.entitlements("bob").size() == 1);
}

TEST_CASE("only the events of the suspended tenant are deferred, in both environments", "[deferred]")
{
    World world;
    suspend(world);
    defer(world, events::purchase("INITIAL_PURCHASE"));
    defer(world, events::purchase("INITIAL_PURCHASE", {{"environment", "PRODUCTION"}}));
    CHECK(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"), "other-sandbox")) == "applied");
    resume(world);
    apply_deferred(world);
    CHECK(world.entitlements("ada", "demo").size() == 1);
    CHECK(world.entitlements("ada", "demo-sandbox").size() == 1);
}
