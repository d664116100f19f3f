#include "service/database_gauges.hpp"

#include "core/id.hpp"
#include "jobs/queue.hpp"
#include "pg/database.hpp"
#include "pg/row.hpp"
#include "support/database_clock.hpp"
#include "support/eventually.hpp"
#include "support/postgres.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <cmath>
#include <string>

using namespace std::chrono_literals;
using testing::eventually;

namespace {

struct Fixture {
    Fixture() { testing::rule_database(clock, postgres); }

    /// Returns the value of the series. The test fails if the series does not exist.
    double shown(std::string const& series) const
    {
        std::string const text = metrics.expose();
        auto const at = text.find(series + ' ');
        INFO(text);
        REQUIRE(at != std::string::npos);
        return std::stod(text.substr(at + series.size()));
    }

    double queue(std::string const& name) const
    {
        return shown("tetrad_queue_" + name + R"({queue="q",service="test"})");
    }

    double overdue() const
    {
        return shown(R"(tetrad_periodic_task_overdue_seconds{service="test",task="purge"})");
    }

    void enqueue(core::Time::duration in)
    {
        database.transact_blocking(pg::Scopes(), [&](pg::Tx& tx) {
            jobs::enqueue(tx, "q", core::ScopeId{2}, core::Uuid::v7(), clock.now() + in);
        });
    }

    testing::Postgres postgres = testing::Postgres::migrated({&jobs::migrations()}, "survey");
    pg::Database database{{.url = postgres.service_url(), .threads = 2}};
    testing::FakeClock clock;
    observe::Metrics metrics{"test"};
    std::atomic<int> failures = 0;
    service::DatabaseGauges gauges{database, clock, metrics, [this](std::string_view) { ++failures; }};
};

} // namespace

TEST_CASE("the metrics show the counts of the last reading, and ages that keep growing")
{
    Fixture f;
    f.gauges.add_queue("q");
    CHECK(f.queue("jobs") == 0);
    CHECK(f.queue("oldest_due_seconds") == 0);
    f.enqueue(10s);
    f.enqueue(20s);
    f.clock.advance(15s);
    CHECK(f.queue("jobs") == 0);
    f.gauges.read();
    CHECK(f.queue("jobs") == 2);
    CHECK(f.queue("due_jobs") == 1);
    CHECK(f.queue("oldest_due_seconds") == 5);
    f.clock.advance(60s);
    CHECK(f.queue("oldest_due_seconds") == 65);
    f.postgres.query("UPDATE jobs SET created_at = '" + core::to_rfc3339(f.clock.now() - 1h) + "'");
    f.gauges.read();
    CHECK(f.queue("oldest_job_seconds") == 3600);
    CHECK(f.queue("due_jobs") == 2);
    f.postgres.query("DELETE FROM jobs");
    f.gauges.read();
    CHECK(f.queue("jobs") == 0);
    CHECK(f.queue("oldest_job_seconds") == 0);
    CHECK(f.queue("oldest_due_seconds") == 0);
}

TEST_CASE("a periodic task is overdue after its start time, even if it never ran")
{
    Fixture f;
    f.gauges.add_task("purge");
    CHECK(f.overdue() == 0);
    f.clock.advance(30s);
    f.gauges.read();
    CHECK(f.overdue() == 30);
    f.postgres.query("INSERT INTO periodic_tasks (name, next_at) VALUES ('purge', '" +
                     core::to_rfc3339(f.clock.now() + 10s) + "'), ('unknown', now())");
    f.gauges.read();
    CHECK(f.overdue() == 0);
    f.clock.advance(25s);
    CHECK(f.overdue() == 15);
}

TEST_CASE("an additional gauge is NaN until it was read")
{
    Fixture f;
    f.gauges.add("tetrad_answer", "The answer.",
        [](pg::Tx& tx) { return static_cast<double>(pg::RowReader(tx.run("SELECT 42")[0]).integer()); });
    CHECK(std::isnan(f.shown(R"(tetrad_answer{service="test"})")));
    f.gauges.read();
    CHECK(f.shown(R"(tetrad_answer{service="test"})") == 42);
}

TEST_CASE("the gauges are read from the database at the start and repeatedly, and consecutive failures are "
          "reported once")
{
    Fixture f;
    std::atomic<int> reads = 0;
    std::atomic<bool> broken = false;
    f.gauges.add_queue("q");
    f.gauges.add("tetrad_reads", "Reads.", [&](pg::Tx&) {
        if (broken) throw std::runtime_error("broken");
        return static_cast<double>(++reads);
    });
    f.enqueue(0s);
    f.gauges.start(10ms);
    CHECK(eventually([&] { return f.queue("jobs") == 1; }));
    CHECK(eventually([&] { return reads >= 3; }));
    broken = true;
    CHECK(eventually([&] { return f.failures == 1; }));
    broken = false;
    CHECK(eventually([&, seen = reads.load()] { return reads >= seen + 2; }));
    CHECK(f.failures == 1);
    f.gauges.stop();
}
