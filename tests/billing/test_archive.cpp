#include "events.hpp"
#include "storage/event_archive.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <set>
#include <string>

TEST_CASE("a history that exceeds the limit in bytes contains only its latest events", "[billing][archive]")
{
    constexpr int more_than_fit = 40; // events of 1 MiB each
    World const world;
    auto const large = [](std::string event) { return event + std::string((1 << 20) - event.size(), ' '); };
    for (int n = 0; n < more_than_fit; ++n) {
        auto const bought = body(events::purchase("RENEWAL", {{"event_timestamp_ms", events::ms(n)}}));
        auto const paid = body(events::payment(
            "invoice.paid", events::invoice("a"), {{"id", std::to_string(n)}, {"created", events::s(n)}}));
        REQUIRE(world.post_purchase(large(bought)).status == 200);
        REQUIRE(world.post_payment(large(paid)).status == 200);
    }
    pg::Database db({.url = world.postgres.service_url(), .threads = 1});
    core::ScopeId const scope_id{std::stoll(world.scope_id())};
    REQUIRE(eventually([&] { return db.healthy(); }));
    auto const of_user = db.transact_blocking(pg::Scopes(scope_id), [&](pg::Tx& tx) {
        return billing::event_archive::history_of_user(tx, scope_id, core::UserId("ada"));
    });
    auto const of_subscription = db.transact_blocking(pg::Scopes(scope_id),
        [&](pg::Tx& tx) { return billing::event_archive::history_of_subscription(tx, scope_id, "sub_1"); });
    for (auto const* history : {&of_user, &of_subscription}) {
        std::set<core::Time> times;
        for (auto const& event : *history)
            times.insert(event.at.value());
        CHECK(times.size() == 32);
        CHECK(times.contains(testing::FakeClock::start + std::chrono::seconds(more_than_fit - 1)));
        CHECK_FALSE(times.contains(testing::FakeClock::start));
    }
    db.stop();
}

TEST_CASE("events of a month without a partition are kept, and moved when the partition is created",
    "[billing][archive]")
{
    World const world;
    // The service's own task has run already, and will not run again soon.
    auto const done =
        "SELECT count(*) FROM periodic_tasks WHERE name = 'event-archive' AND lease_owner IS NULL";
    REQUIRE(eventually([&] { return world.postgres.query(done) == "1"; }));
    world.postgres.query("DO $$ BEGIN EXECUTE format('DROP TABLE %I', "
                         "to_char(now() AT TIME ZONE 'UTC', '\"events_\"YYYY_MM')); END $$");
    auto const bought = events::purchase("INITIAL_PURCHASE", {{"id", "early"}});
    CHECK(result_of(world.post_purchase(bought)) == "applied");
    CHECK(world.postgres.query("SELECT count(*) FROM events_default") == "1");
    auto backend = world.as_backend();
    auto const before = all_items(backend, "/v1/events");
    pg::Database db({.url = world.postgres.service_url(), .threads = 1});
    REQUIRE(eventually([&] { return db.healthy(); }));
    db.transact_blocking({}, [&](pg::Tx& tx) { return billing::event_archive::maintain(tx, 24); });
    db.stop();
    CHECK(world.postgres.query("SELECT count(*) FROM events_default") == "0");
    CHECK(all_items(backend, "/v1/events") == before);
    CHECK(result_of(world.post_purchase(bought)) == "duplicate");
    auto const renewal = events::purchase("RENEWAL", {{"event_timestamp_ms", events::ms(60)}});
    CHECK(result_of(world.post_purchase(renewal)) == "applied");
    CHECK(world.postgres.query("SELECT count(*) FROM events_default") == "0");
}

TEST_CASE("the archive drops old months and creates partitions for coming months", "[billing][archive]")
{
    World const world;
    CHECK(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "applied");
    auto const months = [&] {
        return world.postgres.query(
            R"(
            SELECT string_agg(inhrelid::regclass::text, ',' ORDER BY 1)
            FROM pg_inherits
            WHERE inhparent = 'events'::regclass)");
    };
    auto const made = months();
    world.postgres.query(R"(
        CREATE TABLE events_2001_01 (LIKE events INCLUDING ALL); ALTER TABLE events ATTACH PARTITION
            events_2001_01 FOR
        VALUES
        FROM ('2001-01-01Z') TO ('2001-02-01Z');
        INSERT INTO events
        SELECT scope_id, '2001-01-05Z', archive_id, provider, event_id, type, result, reason, user_id,
            subject, event_at, payload
        FROM events;
        INSERT INTO event_claims
        SELECT scope_id, gen_random_uuid(), archive_id, '2001-01-05Z'
        FROM event_claims;
        INSERT INTO event_users
        SELECT scope_id, user_id, '2001-01-05Z', archive_id
        FROM event_users)");
    pg::Database db({.url = world.postgres.service_url(), .threads = 1});
    REQUIRE(eventually([&] { return db.healthy(); }));
    auto const maintain = [&] {
        return db.transact_blocking({}, [&](pg::Tx& tx) { return billing::event_archive::maintain(tx, 24); });
    };
    while (maintain()) {
        // One call does a part of the work. The service's own task may have done other parts.
    }
    CHECK(months() == made);
    CHECK(world.postgres.query("SELECT count(*) FROM events") == "1");
    CHECK(world.postgres.query("SELECT count(*) FROM event_claims") == "1");
    CHECK(world.postgres.query("SELECT count(*) FROM event_users") == "1");
    CHECK(world.entitlements().size() == 1);
    CHECK_THROWS(
        db.transact_blocking({}, [&](pg::Tx& tx) { return billing::event_archive::maintain(tx, 0); }));
    db.stop();
}

TEST_CASE("the claims of waiting invoices are kept as long as the latest invoice waits", "[billing][archive]")
{
    World const world;
    auto const post_invoice = [&](int at) {
        auto const invoice = events::invoice("a");
        CHECK(result_of(world.post_payment(events::payment("invoice.paid", invoice,
                  {{"created", events::s(at)}}))) == "skipped awaiting_subscription");
    };
    post_invoice(1);
    CHECK(world.postgres.query("SELECT count(*) FROM event_claims") == "2");
    world.postgres.query("UPDATE event_claims SET received_at = '2001-01-05Z'");
    post_invoice(2);
    pg::Database db({.url = world.postgres.service_url(), .threads = 1});
    REQUIRE(eventually([&] { return db.healthy(); }));
    db.transact_blocking({}, [&](pg::Tx& tx) { return billing::event_archive::maintain(tx, 24); });
    db.stop();
    CHECK(world.postgres.query("SELECT count(*) FROM event_claims") == "2");
    auto const incomplete = events::subscription({events::item("a")}, {{"status", "incomplete"}});
    CHECK(result_of(world.post_payment(events::payment(
              "customer.subscription.created", incomplete, {{"created", events::s(0)}}))) == "applied");
    CHECK(text(world.entitlement("a"), "status") == "active");
}

TEST_CASE("a metric shows the number of coming months with a partition")
{
    World const world;
    CHECK(eventually([&] {
        return world.host->metrics().expose().find(
                   "tetrad_event_archive_months_ahead{service=\"billing\"} 2\n") != std::string::npos;
    }));
}
