#include "app.hpp"
#include "pg/database.hpp"
#include "pg/row.hpp"
#include "support/fake_clock.hpp"
#include "support/postgres.hpp"
#include "workers/retention.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>

using namespace notify;
using namespace std::chrono_literals;

namespace {

/// A transaction that also collects the plans of its statements.
class PlannedTx final : public pg::Tx {
public:
    explicit PlannedTx(pg::Tx& tx) : tx_(tx) {}

    pg::Rows run(std::string_view sql, std::span<pg::Param const> params) override
    {
        auto const plan = tx_.run("EXPLAIN (FORMAT JSON) " + std::string(sql), params);
        plans.push_back(pg::RowReader(plan[0]).text());
        return tx_.run(sql, params);
    }

    /// Whether the plan of a statement contains an index, or a kind of node.
    bool uses(std::size_t statement, std::string const& name) const
    {
        UNSCOPED_INFO(plans.at(statement));
        return plans.at(statement).find('"' + name + '"') != std::string::npos;
    }

    std::vector<std::string> plans;

private:
    pg::Tx& tx_;
};

/// A database with three tenants, without a running service. The clock is at 2026-01-01.
struct Fixture {
    Fixture()
    {
        for (auto const* slug : {"a", "b", "c"})
            postgres.query(
                "INSERT INTO tenants (slug, display_name, status, limits, created_at, updated_at) VALUES ('" +
                std::string(slug) + "', 'x', 'active', '{}', now(), now())");
    }

    /// Inserts notifications that were sent, or failed, so many days ago.
    void add(int scope, int rows, int days, std::string const& status = "sent") const
    {
        auto const failed = status == "failed";
        postgres.query(
            R"(
            INSERT INTO notifications (
                scope_id, notification_id, channel, template_name, recipient, subject, body, html, status,
                created_at, queued_at, sent_at, failed_at, failure_reason
            )
            SELECT )" +
            std::to_string(scope) + ", gen_random_uuid(), 'email', 't', 'ada', 's', 'b', false, '" + status +
            "', at, at, " + (failed ? "NULL, at, 'X'" : "at, NULL, NULL") +
            " FROM (SELECT timestamptz '2026-01-01Z' - interval '" + std::to_string(days) +
            " days' - n * interval '1 second' AS at FROM generate_series(1, " + std::to_string(rows) +
            ") AS n) AS times");
    }

    /// The number of notifications, of one scope or of all.
    int left(int scope = 0) const
    {
        return std::stoi(postgres.query(
            "SELECT count(*) FROM notifications WHERE " + std::to_string(scope) + " IN (0, scope_id)"));
    }

    retention::Step step_of(pg::Tx& tx, std::vector<core::ScopeId> const& scopes, std::size_t rows) const
    {
        return {.scopes = retention::scopes_of(tx, scopes, clock.now()),
            .rows = rows,
            .files = 50,
            .now = clock.now()};
    }

    /// The value of `tetrad_retention_purged_total` for a kind.
    std::string purged(std::string const& kind) const
    {
        auto const text = metrics.expose();
        auto const name = "tetrad_retention_purged_total{kind=\"" + kind + "\"";
        auto const at = text.find(name);
        REQUIRE(at != std::string::npos);
        auto const begin = text.find("} ", at) + 2;
        return text.substr(begin, text.find('\n', begin) - begin);
    }

    testing::Postgres postgres = testing::Postgres::migrated(App::components(), "notify");
    testing::FakeClock clock;
    pg::Database db{{.url = postgres.service_url(), .threads = 1}};
    observe::Metrics metrics{"notify"};
};

} // namespace

TEST_CASE("a purge deletes all old notifications in steps, and then ends", "[retention]")
{
    Fixture f;
    f.add(2, 250, 91);
    f.add(3, 30, 91, "failed");
    f.add(3, 7, 89);
    RetentionPurge purge(f.db, f.clock, f.metrics, {.scopes = 2, .rows = 100, .files = 5});
    int steps = 0;
    while (purge.step())
        ++steps;
    CHECK(f.left() == 7);
    CHECK(steps > 3); // of at most 100 rows
    CHECK(f.purged("notification") == "280");
    CHECK(f.purged("notification_content") == "287");
    CHECK(f.purged("broadcast") == "0");

    // The next run finds nothing until rows are old enough.
    while (purge.step()) {
    }
    CHECK(f.purged("notification") == "280");
    f.clock.advance(24h + 1min);
    while (purge.step()) {
    }
    CHECK(f.left() == 0);
}

TEST_CASE("many old notifications of one tenant do not delay the purge of others", "[retention]")
{
    Fixture f;
    f.add(2, 2'000, 91);
    f.add(4, 3, 91);
    f.add(6, 3, 91);
    f.add(7, 300, 91);
    RetentionPurge purge(f.db, f.clock, f.metrics, {.scopes = 2, .rows = 20, .files = 5});
    for (int i = 0; i < 3; ++i)
        REQUIRE(purge.step());
    // Each scope had its turn, with an equal share of the rows.
    CHECK(f.left(4) == 0);
    CHECK(f.left(6) == 0);
    CHECK(f.left(2) == 1'990);
    CHECK(f.left(7) == 290);
    // The scopes with more rows take turns.
    for (int i = 0; i < 10; ++i)
        REQUIRE(purge.step());
    CHECK(f.left(7) == 190);
    CHECK(f.left(2) == 1'890);
    // A scope that is left alone gets all rows of a step.
    while (f.left(7) > 0)
        REQUIRE(purge.step());
    auto const before = f.left(2);
    for (int i = 0; i < 5; ++i)
        REQUIRE(purge.step());
    CHECK(before - f.left(2) >= 80);
}

TEST_CASE("a purge skips locked notifications and does not wait for them", "[retention]")
{
    Fixture f;
    f.add(2, 10, 91);
    pg::Database other({.url = f.postgres.service_url(), .threads = 1});
    RetentionPurge purge(f.db, f.clock, f.metrics);
    other.transact_blocking(core::ScopeId{2}, [&](pg::Tx& tx) {
        tx.run(
            "SELECT 1 FROM notifications WHERE scope_id = 2 ORDER BY created_at LIMIT 3 FOR NO KEY UPDATE");
        while (purge.step()) {
        }
        CHECK(f.left() == 3);
    });
    while (purge.step()) {
    }
    CHECK(f.left() == 0);
}

TEST_CASE("the files of old notifications are deleted a few at a time", "[retention]")
{
    Fixture f;
    f.add(2, 10, 91, "failed");
    f.postgres.query(R"(
        INSERT INTO notification_attachments (
            scope_id, notification_id, place, filename, content_type, size_bytes, content
        )
        SELECT scope_id, notification_id, n, 'f', 'text/plain', 1, 'x'
        FROM notifications, generate_series(1, 3) AS n)");
    auto const files = [&] { return f.postgres.query("SELECT count(*) FROM notification_attachments"); };
    RetentionPurge purge(f.db, f.clock, f.metrics, {.scopes = 10, .rows = 1'000, .files = 4});
    REQUIRE(purge.step());
    CHECK(files() == "22"); // four of each kind of purge
    CHECK(f.left() == 10);
    while (purge.step()) {
    }
    CHECK(files() == "0");
    CHECK(f.left() == 0);
}

TEST_CASE("a step reads ranges of indexes, for few and for many notifications", "[retention]")
{
    Fixture f;
    std::vector<core::ScopeId> scopes;
    for (int scope = 2; scope < 8; ++scope) {
        scopes.push_back(core::ScopeId{scope});
        f.add(scope, 4'000, 1);
        f.add(scope, 3'000, 60, "failed");
        f.add(scope, 1'000, 95);
    }
    f.postgres.query(R"(
        UPDATE notifications SET content_erased_at = now() WHERE created_at < timestamptz '2025-10-20Z';
        INSERT INTO jobs (scope_id, queue, ref, run_at)
        SELECT scope_id, 'notify.email', notification_id, now() FROM notifications ORDER BY created_at DESC LIMIT 5000;
        INSERT INTO broadcasts (
            scope_id, broadcast_id, template_name, title, body, status, last_device_id, created_at,
            fanned_out_at, completed_at, content_erased_at
        )
        SELECT 2 + n % 6, gen_random_uuid(), 't', 't', 'b', 'fanned_out', 1, at, at, at, at
        FROM (SELECT n, timestamptz '2026-01-01Z' - n * interval '10 minutes' AS at FROM generate_series(1, 20000) AS n) AS b;
        ANALYZE)");
    using Purge = retention::Purged (*)(pg::Tx&, retention::Step const&);

    struct Case {
        Purge purge;
        char const* index;
    };

    for (auto const& c : {Case{retention::erase_contents, "notifications_with_content"},
             Case{retention::delete_notifications, "notifications_by_time"},
             Case{retention::erase_broadcast_contents, "broadcasts_with_content"},
             Case{retention::delete_broadcasts, "broadcasts_by_time"}}) {
        f.db.transact_blocking(pg::Scopes(scopes), [&](pg::Tx& tx) {
            auto const step = f.step_of(tx, scopes, 20);
            PlannedTx planned(tx);
            c.purge(planned, step);
            CHECK(planned.uses(1, c.index)); // after the statement with settings of the planner
            for (auto const* node : {"Sort", "Bitmap Index Scan", "Seq Scan"})
                CHECK_FALSE(planned.uses(1, node));
            CHECK_FALSE(planned.uses(2, "Seq Scan"));
        });
    }
}
