#include "events.hpp"
#include "storage/event_archive.hpp"
#include "storage/event_history.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace {

namespace json = boost::json;

/// The result of `work(tx, scope_id)` in a transaction of the service in the sandbox of `demo`.
template <class Work> auto in_sandbox(World const& world, Work work)
{
    core::ScopeId const scope_id{std::stoll(world.scope_id())};
    pg::Database db({.url = world.postgres.service_url(), .threads = 1});
    REQUIRE(eventually([&] { return db.healthy(); }));
    auto result = db.transact_blocking(pg::Scopes(scope_id), [&](pg::Tx& tx) { return work(tx, scope_id); });
    db.stop();
    return result;
}

std::vector<billing::Event> history_of(World const& world, std::string const& user)
{
    return in_sandbox(world, [&](pg::Tx& tx, core::ScopeId scope_id) {
        return billing::event_history::of_user(tx, scope_id, core::UserId(user));
    });
}

/// Maintains the archive until nothing is left to do. The service's own task may do a part of the work.
void maintain(World const& world, unsigned months)
{
    pg::Database db({.url = world.postgres.service_url(), .threads = 1});
    REQUIRE(eventually([&] { return db.healthy(); }));
    while (
        db.transact_blocking({}, [&](pg::Tx& tx) { return billing::event_archive::maintain(tx, months); })) {
    }
    db.stop();
}

/// Waits until the service's own task has run. It will not run again soon.
void wait_for_task(World const& world)
{
    REQUIRE(eventually([&] {
        return world.postgres.query("SELECT count(*) FROM periodic_tasks WHERE name = 'event-archive' AND "
                                    "lease_owner IS NULL") == "1";
    }));
}

/// The month that began `months` ago, as in the names of partitions.
std::string month_ago(World const& world, int months)
{
    return world.postgres.query("SELECT to_char(now() AT TIME ZONE 'UTC' - make_interval(months => " +
                                std::to_string(months) + "), 'YYYY_MM')");
}

} // namespace

TEST_CASE("a history that exceeds the limit in bytes contains only its latest events", "[billing][archive]")
{
    constexpr int more_than_fit = 40; // events of 1 MiB each
    World const world;
    auto const large = [](std::string event) { return event + std::string((1 << 20) - event.size(), ' '); };
    for (int n = 0; n < more_than_fit; ++n) {
        auto const bought = body(events::purchase("RENEWAL", {{"event_timestamp_ms", events::ms(n)}}));
        // The invoice does not name the user, so it belongs only to the history of the subscription.
        auto const paid = body(events::payment("invoice.paid", events::old_invoice("a"),
            {{"id", std::to_string(n)}, {"created", events::s(n)}}));
        REQUIRE(world.post_purchase(large(bought)).status == 200);
        REQUIRE(world.post_payment(large(paid)).status == 200);
    }
    auto const of_user = history_of(world, "ada");
    auto const of_subscription = in_sandbox(world, [](pg::Tx& tx, core::ScopeId scope_id) {
        return billing::event_history::of_subscription(tx, scope_id, "sub_1");
    });
    for (auto const* history : {&of_user, &of_subscription}) {
        std::set<core::Time> times;
        for (auto const& event : *history)
            times.insert(event.at.value());
        CHECK(times.size() == 32);
        CHECK(times.contains(testing::FakeClock::start + std::chrono::seconds(more_than_fit - 1)));
        CHECK_FALSE(times.contains(testing::FakeClock::start));
    }
}

TEST_CASE("the history of a user has each event that belongs to the user or names the user once",
    "[billing][archive]")
{
    World const world;
    json::object const alias{{"app_user_id", "bob"}, {"aliases", json::array{"ada"}}};
    CHECK(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "applied");
    CHECK(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE", alias))) == "applied");
    json::object const bobs{{"app_user_id", "bob"}, {"aliases", json::array{}}};
    REQUIRE(world.post_purchase(events::purchase("RENEWAL", bobs)).status == 200);
    // The waiting invoice names the user, and belongs to the user after the subscription has arrived.
    CHECK(result_of(world.post_payment(events::payment("invoice.paid", events::invoice("a")))) ==
          "skipped awaiting_subscription");
    CHECK(history_of(world, "ada").size() == 3);
    CHECK(result_of(world.post_payment(events::payment(
              "customer.subscription.created", events::subscription({events::item("a")})))) == "applied");
    CHECK(history_of(world, "ada").size() == 4);
    CHECK(history_of(world, "bob").size() == 2);
    CHECK(history_of(world, "nobody").empty());
}

TEST_CASE("events of a month without a partition are kept, and moved when the partition is created",
    "[billing][archive]")
{
    World const world;
    wait_for_task(world);
    world.postgres.query("DO $$ BEGIN EXECUTE format('DROP TABLE %I', "
                         "to_char(now() AT TIME ZONE 'UTC', '\"events_\"YYYY_MM')); END $$");
    auto const bought = events::purchase("INITIAL_PURCHASE", {{"id", "early"}});
    CHECK(result_of(world.post_purchase(bought)) == "applied");
    CHECK(world.postgres.query("SELECT count(*) FROM events_default") == "1");
    auto backend = world.as_backend();
    auto const before = all_items(backend, "/v1/events");
    maintain(world, 24);
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
    maintain(world, 24);
    CHECK(months() == made);
    CHECK(world.postgres.query("SELECT count(*) FROM events") == "1");
    CHECK(world.postgres.query("SELECT count(*) FROM event_claims") == "1");
    CHECK(world.postgres.query("SELECT count(*) FROM event_users") == "1");
    CHECK(world.entitlements().size() == 1);
    CHECK_THROWS(maintain(world, 0));
}

TEST_CASE("old events of months without a partition are purged", "[billing][archive]")
{
    World const world;
    CHECK(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "applied");
    wait_for_task(world);
    // Events of these months are in the default partition, because the months have no partition.
    auto const copy = [&](std::string const& months) {
        world.postgres.query(R"(
            INSERT INTO events
            SELECT e.scope_id, t.at, gen_random_uuid(), e.provider, e.event_id || ')" +
                             months + R"(', e.type,
                e.result, e.reason, e.user_id, e.subject, e.event_at, e.payload
            FROM events e, (
                SELECT date_trunc('month', now()) - make_interval(months => )" +
                             months + R"() + interval '5 days'
                    AS at
            ) AS t
            WHERE e.received_at > now() - interval '1 day')");
    };
    for (auto const* months : {"1", "2", "3", "30"})
        copy(months);
    CHECK(world.postgres.query("SELECT count(*) FROM events_default") == "4");
    maintain(world, 2);
    CHECK(world.postgres.query("SELECT count(*) FROM events_default") == "2");
    auto backend = world.as_backend();
    CHECK(all_items(backend, "/v1/events").size() == 3);
    maintain(world, 1);
    CHECK(
        world.postgres.query("SELECT string_agg(to_char(received_at, 'YYYY_MM'), ',') FROM events_default") ==
        month_ago(world, 1));
    CHECK(world.entitlements().size() == 1);
}

TEST_CASE("the ids of payments are purged with their events", "[billing][archive]")
{
    World const world;
    CHECK(result_of(world.post_payment(events::payment("charge.refunded", events::refunded_charge()))) ==
          "skipped unknown_charge");
    CHECK(world.postgres.query("SELECT count(*) FROM payment_references") == "2");
    maintain(world, 1);
    CHECK(world.postgres.query("SELECT count(*) FROM payment_references") == "2");
    world.postgres.query(
        "UPDATE payment_references SET received_at = '2001-01-05Z' WHERE reference = 'pi_1'");
    maintain(world, 1);
    CHECK(world.postgres.query("SELECT string_agg(reference, ',') FROM payment_references") == "ch_1");
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
    maintain(world, 24);
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
