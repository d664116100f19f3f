#include "events.hpp"
#include "storage/archive.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

TEST_CASE("the archive forgets whole months, and makes those to come", "[billing][archive]")
{
    World const world;
    CHECK(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "applied");
    auto const months = [&] {
        return world.postgres.query(
            "SELECT string_agg(inhrelid::regclass::text, ',' ORDER BY 1) FROM pg_inherits "
            "WHERE inhparent = 'events'::regclass");
    };
    auto const made = months();
    world.postgres.query("CREATE TABLE events_2001_01 (LIKE events INCLUDING ALL); "
                         "ALTER TABLE events ATTACH PARTITION events_2001_01 FOR VALUES FROM ('2001-01-01Z') "
                         "TO ('2001-02-01Z'); "
                         "INSERT INTO events SELECT scope_id, '2001-01-05Z', archive_id, provider, event_id, "
                         "type, result, reason, "
                         "user_id, subject, event_at, payload FROM events; "
                         "INSERT INTO event_claims SELECT scope_id, gen_random_uuid(), archive_id, "
                         "'2001-01-05Z' FROM event_claims");
    pg::Database db({.url = world.postgres.service_url(), .threads = 1});
    REQUIRE(eventually([&] { return db.healthy(); }));
    auto const maintain = [&] {
        return db.transact_blocking({}, [&](pg::Tx& tx) { return billing::archive::maintain(tx, 24); });
    };
    while (maintain()) {
        // The service's own task may have been first.
    }
    CHECK(months() == made);
    CHECK(world.postgres.query("SELECT count(*) FROM events") == "1");
    CHECK(world.postgres.query("SELECT count(*) FROM event_claims") == "1");
    CHECK(world.entitlements().size() == 1);
    CHECK_THROWS(db.transact_blocking({}, [&](pg::Tx& tx) { return billing::archive::maintain(tx, 0); }));
    db.stop();
}
