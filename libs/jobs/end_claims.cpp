#include "jobs/end_claims.hpp"

#include "pg/row.hpp"

#include <algorithm>

namespace jobs {

namespace {

constexpr char const* statement = R"(
    WITH ended AS MATERIALIZED (
        SELECT e.scope_id, e.ref, e.token, jobs_now() + e.delay * interval '1 microsecond' AS run_at, e.uncounted, e.place
        FROM unnest($2::bigint[], $3::uuid[], $4::uuid[], $5::bigint[], $6::int[], $7::int[])
            AS e (scope_id, ref, token, delay, uncounted, place)
    ), held AS MATERIALIZED (
        SELECT j.ctid AS row, e.token, e.run_at, e.uncounted, e.place
        FROM ended e
        CROSS JOIN LATERAL (
            SELECT x.ctid
            FROM jobs x
            WHERE x.scope_id = e.scope_id AND x.queue = $1 AND x.ref = e.ref
            LIMIT 1
        ) AS j
    ), gone AS (
        DELETE FROM jobs j USING held e
        WHERE j.ctid = e.row AND j.lease_owner = e.token AND e.run_at IS NULL AND j.again_at IS NULL
        RETURNING e.place
    ), moved AS (
        UPDATE jobs j
        SET run_at = CASE WHEN e.run_at IS NULL THEN j.again_at ELSE least(e.run_at, j.again_at) END,
            attempts = CASE WHEN e.run_at IS NULL THEN 0 ELSE j.attempts - e.uncounted END,
            lease_owner = NULL, again_at = NULL
        FROM held e
        WHERE j.ctid = e.row AND j.lease_owner = e.token AND (e.run_at IS NOT NULL OR j.again_at IS NOT NULL)
        RETURNING e.place
    )
    SELECT place FROM gone UNION ALL SELECT place FROM moved)";

/// Ends the claims of the runs with the indices `places`. Returns the indices of the runs whose lease
/// was held.
std::vector<std::size_t> end(
    pg::Tx& tx, std::span<FinishedRun const> runs, std::vector<std::size_t> const& places, core::Time now)
{
    auto const column = [&](auto member) {
        return pg::column(places, [&](std::size_t place) { return pg::Param(member(runs[place])); });
    };
    auto const rows = tx.run(
        statement, {runs.front().claim.queue, column([](FinishedRun const& e) { return e.claim.scope_id; }),
                       column([](FinishedRun const& e) { return pg::Param(e.claim.ref); }),
                       column([](FinishedRun const& e) { return pg::Param(e.claim.token); }),
                       column([now](FinishedRun const& e) {
                           return e.kind == Outcome::Kind::retry ? pg::Param((e.run_at - now).count())
                                                                 : pg::Param(nullptr);
                       }),
                       column([](FinishedRun const& e) { return e.counted ? 0 : 1; }),
                       pg::column(places, [](std::size_t place) { return pg::Param(place); })});
    return pg::read_rows(rows, [](pg::RowReader& r) { return static_cast<std::size_t>(r.integer()); });
}

} // namespace

std::vector<std::size_t> end_claims(pg::Tx& tx, std::span<FinishedRun const> runs, core::Time now)
{
    if (runs.empty()) return {};
    std::vector<std::size_t> places(runs.size());
    for (std::size_t i = 0; i < places.size(); ++i)
        places[i] = i;
    auto held = end(tx, runs, places, now);
    if (held.size() < places.size()) {
        // The statement skips a job that another transaction enqueues again while the statement runs. So the
        // statement runs once more, for the skipped jobs only.
        std::ranges::sort(held);
        std::erase_if(places, [&](std::size_t place) { return std::ranges::binary_search(held, place); });
        std::ranges::copy(end(tx, runs, places, now), std::back_inserter(held));
    }
    std::ranges::sort(held);
    return held;
}

} // namespace jobs
