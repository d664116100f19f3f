#include "jobs/backlog.hpp"

#include "fixture.hpp"

#include <string>
#include <vector>

using namespace jobs_test;

namespace {

jobs::Backlog backlog_of(Fixture& f, std::string const& queue = "q")
{
    auto const all = f.tx([&](pg::Tx& t) { return jobs::read_backlogs(t, std::vector{queue}); });
    REQUIRE(all.size() == 1);
    REQUIRE(all.front().queue == queue);
    return all.front();
}

} // namespace

TEST_CASE("a queue without jobs has an empty backlog")
{
    Fixture f;
    f.add(core::ScopeId{2}, 0s, "other");
    auto const b = backlog_of(f);
    CHECK(b.jobs == 0);
    CHECK(b.due == 0);
    CHECK_FALSE(b.oldest);
    CHECK_FALSE(b.oldest_due);
    CHECK(f.tx([&](pg::Tx& t) { return jobs::read_backlogs(t, {}); }).empty());
}

TEST_CASE("due jobs are distinguished from running and later jobs in every scope")
{
    Fixture f;
    f.add(core::ScopeId{9}); // the job that is claimed below
    f.add(core::ScopeId{2}, 1s);
    f.add(core::ScopeId{3}, 2s);
    f.add(core::ScopeId{3}, 4s);
    f.add(core::ScopeId{7}, 1h);
    f.add(core::ScopeId{2}, 0s, "other");
    REQUIRE(f.claim_up_to(1).size() == 1);
    CHECK(backlog_of(f).due == 0);

    auto const begin = f.clock.now();
    f.clock.advance(10s);
    auto const b = backlog_of(f);
    CHECK(b.jobs == 5);
    CHECK(b.due == 3);
    CHECK(b.oldest_due == begin + 1s);
    CHECK(backlog_of(f, "other").due == 1);

    f.clock.advance(50s); // the lease ends, and its job is due again
    CHECK(backlog_of(f).due == 4);
    CHECK(backlog_of(f).oldest_due == begin + 1s);
}

TEST_CASE("the oldest job is the job that was enqueued first, even if it is not due")
{
    Fixture f;
    f.add(core::ScopeId{2});
    auto const old = f.add(core::ScopeId{3}, 24h);
    f.postgres.query(
        "UPDATE jobs SET created_at = '2025-12-01T00:00:00Z' WHERE ref = '" + old.to_string() + "'");
    CHECK(backlog_of(f).oldest == core::parse_rfc3339("2025-12-01T00:00:00Z"));
}

TEST_CASE("counts stop at the documented limits")
{
    Fixture f;
    f.postgres.query(R"(
        INSERT INTO jobs (scope_id, queue, ref, run_at)
        SELECT n % 10, 'q', gen_random_uuid(), '2020-01-01T00:00:00Z'
        FROM generate_series(1, 10050) AS n)");
    CHECK(backlog_of(f).jobs == jobs::max_counted_jobs);
    CHECK(backlog_of(f).due == jobs::max_counted_jobs);
    f.postgres.query("DELETE FROM jobs");
    f.postgres.query(R"(
        INSERT INTO jobs (scope_id, queue, ref, run_at)
        SELECT n, 'q', gen_random_uuid(), '2020-01-01T00:00:00Z'
        FROM generate_series(1, 2050) AS n)");
    CHECK(backlog_of(f).jobs == 2050);
    CHECK(backlog_of(f).due == jobs::max_counted_scopes);
}

TEST_CASE("the due times of periodic tasks are listed")
{
    Fixture f;
    CHECK(f.tx([](pg::Tx& t) { return jobs::next_runs(t); }).empty());
    f.postgres.query("INSERT INTO periodic_tasks (name, next_at) VALUES ('a', '2026-01-01T00:00:05Z')");
    auto const runs = f.tx([](pg::Tx& t) { return jobs::next_runs(t); });
    CHECK(runs == std::map<std::string, core::Time>{{"a", *core::parse_rfc3339("2026-01-01T00:00:05Z")}});
}
