#include "jobs/backlog.hpp"

#include "pg/row.hpp"

namespace jobs {

namespace {

Backlog read_backlog(pg::RowReader& r)
{
    Backlog b;
    b.queue = r.text();
    b.jobs = r.integer();
    b.oldest = r.optional_time();
    b.due = r.integer();
    b.oldest_due = r.optional_time();
    return b;
}

} // namespace

std::vector<Backlog> read_backlogs(pg::Tx& tx, std::span<std::string const> queues)
{
    // Each sub-query has the condition of the index jobs_due (migrations/0005), and ORDER BY. Without ORDER
    // BY, the planner would scan the whole table even for a queue with few jobs.
    auto const rows = tx.run(R"(
        SELECT q.queue, held.jobs, held.oldest, ready.jobs, ready.oldest
        FROM unnest($1::text[]) AS q (queue)
        CROSS JOIN LATERAL (
            SELECT (SELECT count(*) FROM (
                        SELECT FROM jobs j WHERE j.queue = q.queue AND j.attempts >= 0
                        ORDER BY j.scope_id, j.run_at LIMIT $2::bigint) AS counted) AS jobs,
                   (SELECT min(dated.created_at) FROM (
                        SELECT j.created_at FROM jobs j WHERE j.queue = q.queue AND j.attempts >= 0
                        ORDER BY j.scope_id, j.run_at LIMIT $4::bigint) AS dated) AS oldest) AS held
        CROSS JOIN LATERAL (
            WITH RECURSIVE scopes (scope_id, run_at, n) AS (
                (SELECT j.scope_id, j.run_at, 1 FROM jobs j WHERE j.queue = q.queue AND j.attempts >= 0
                 ORDER BY j.scope_id, j.run_at LIMIT 1)
                UNION ALL
                SELECT next.scope_id, next.run_at, s.n + 1
                FROM scopes s CROSS JOIN LATERAL (
                    SELECT j.scope_id, j.run_at FROM jobs j
                    WHERE j.queue = q.queue AND j.scope_id > s.scope_id AND j.attempts >= 0
                    ORDER BY j.scope_id, j.run_at LIMIT 1) AS next
                WHERE s.n < $3::int
            ), due AS (SELECT scope_id, run_at FROM scopes WHERE run_at <= jobs_now())
            SELECT (SELECT min(run_at) FROM due) AS oldest,
                   (SELECT count(*) FROM (
                        SELECT FROM due d CROSS JOIN LATERAL (
                            SELECT FROM jobs j
                            WHERE j.queue = q.queue AND j.scope_id = d.scope_id AND j.attempts >= 0
                                AND j.run_at <= jobs_now()
                            ORDER BY j.run_at LIMIT $2::bigint) AS one
                        LIMIT $2::bigint) AS counted) AS jobs) AS ready)",
        {std::vector<std::string>(queues.begin(), queues.end()), max_counted_jobs, max_counted_scopes,
            max_dated_jobs});
    return pg::read_rows(rows, read_backlog);
}

std::map<std::string, core::Time> next_runs(pg::Tx& tx)
{
    std::map<std::string, core::Time> runs;
    for (auto const& row : tx.run("SELECT name, next_at FROM periodic_tasks")) {
        pg::RowReader r(row);
        auto name = r.text();
        runs.emplace(std::move(name), r.time());
    }
    return runs;
}

} // namespace jobs
