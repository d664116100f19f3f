#include "jobs/queue.hpp"

#include "pg/row.hpp"

namespace jobs {

namespace {

constexpr int scopes_per_claim = 64;

/// If fewer jobs than this are due, a claim visits only the scopes of the due jobs.
constexpr int few_due = 128;

struct Running {
    std::vector<core::ScopeId> scopes;
    std::vector<std::int64_t> counts;
};

Running running_arrays(std::map<core::ScopeId, std::size_t> const& running)
{
    Running out;
    for (auto const& [scope, count] : running) {
        out.scopes.push_back(scope);
        out.counts.push_back(static_cast<std::int64_t>(count));
    }
    return out;
}

/// The members of claims as arrays, for statements that handle several claims at a time.
struct Columns {
    std::vector<core::ScopeId> scopes;
    std::vector<std::string> refs;
    std::vector<std::string> tokens;
    std::vector<pg::Param> run_at;
};

Columns columns_of(std::span<Claim const> claims)
{
    Columns out;
    for (auto const& claim : claims) {
        out.scopes.push_back(claim.scope_id);
        out.refs.push_back(claim.ref.to_string());
        out.tokens.push_back(claim.token.to_string());
        out.run_at.emplace_back(claim.run_at);
    }
    return out;
}

} // namespace

core::Time now(pg::Tx& tx)
{
    return pg::RowReader(tx.run("SELECT jobs_now()").front()).time();
}

void enqueue(pg::Tx& tx, std::string_view queue, core::ScopeId scope_id, core::Uuid const& ref,
    std::optional<core::Time> run_at)
{
    enqueue(tx, queue, scope_id, std::span(&ref, 1), run_at);
}

void enqueue(pg::Tx& tx, std::string_view queue, core::ScopeId scope_id, std::span<core::Uuid const> refs,
    std::optional<core::Time> run_at)
{
    if (refs.empty()) return;
    std::vector<std::string> ids;
    ids.reserve(refs.size());
    for (auto const& ref : refs)
        ids.push_back(ref.to_string());
    tx.run(R"(
        SELECT enqueue_jobs($1, array_fill($2::bigint, ARRAY[n]), $3::uuid[], array_fill($4::timestamptz, ARRAY[n]))
        FROM cardinality($3::uuid[]) AS n)",
        {queue, scope_id, ids, run_at});
}

bool withdraw(pg::Tx& tx, std::string_view queue, core::ScopeId scope_id, core::Uuid const& ref)
{
    auto const gone =
        tx.run("DELETE FROM jobs WHERE scope_id = $1 AND queue = $2 AND ref = $3 AND lease_owner IS NULL",
            {scope_id, queue, ref});
    return gone.affected_rows() > 0;
}

std::vector<std::string> withdraw(
    pg::Tx& tx, std::span<std::string_view const> queues, core::ScopeId scope_id, core::Uuid const& ref)
{
    auto const gone = tx.run(R"(
        WITH found AS MATERIALIZED (
            SELECT lease_owner
            FROM jobs
            WHERE scope_id = $1 AND queue = ANY ($2::text[]) AND ref = $3
            ORDER BY queue
            FOR UPDATE)
        DELETE FROM jobs
        WHERE scope_id = $1 AND queue = ANY ($2::text[]) AND ref = $3
            AND NOT EXISTS (SELECT FROM found WHERE lease_owner IS NOT NULL)
        RETURNING queue)",
        {scope_id, std::vector<std::string>(queues.begin(), queues.end()), ref});
    return pg::read_rows(gone, &pg::RowReader::text);
}

ClaimResult claim(pg::Tx& tx, ClaimRequest const& request)
{
    core::Uuid const token = core::Uuid::v7();
    auto const [scopes, counts] = running_arrays(request.running);
    // `oldest` reads the start of the index jobs_by_time (queue, run_at, scope_id). The scan ends at the
    // first job that is not due yet, or at its limit. If it ends before its limit, it has seen all due jobs,
    // and `scopes` contains their scopes. Otherwise `walk` steps through the index jobs_due (queue, scope_id,
    // run_at), with one probe per scope, even if the scope has no due jobs. So a million jobs of one tenant
    // cost as much as one job. PostgreSQL evaluates the condition on `sample` once, before it reads rows,
    // because the condition does not depend on the row. `due` then takes the oldest jobs of each scope
    // through jobs_due, and `claimed` finds them by their physical place. The conditions on `attempts` and
    // '-infinity' are those of the indexes. They choose the index (migrations/0005).
    auto const rows = tx.run(R"(
        WITH RECURSIVE oldest AS MATERIALIZED (
            SELECT scope_id FROM jobs
            WHERE queue = $1 AND run_at <= jobs_now() AND run_at > '-infinity' ORDER BY run_at LIMIT $11::int
        ), sample AS MATERIALIZED (
            SELECT count(*) < $11::int AS is_all FROM oldest
        ), walk (scope_id, run_at, n) AS (
            (SELECT scope_id, run_at, 1 FROM jobs
             WHERE queue = $1 AND scope_id > $2 AND attempts >= 0 AND NOT (SELECT is_all FROM sample)
             ORDER BY scope_id, run_at LIMIT 1)
            UNION ALL
            SELECT next.scope_id, next.run_at, w.n + 1
            FROM walk w CROSS JOIN LATERAL (
                SELECT j.scope_id, j.run_at FROM jobs j
                WHERE j.queue = $1 AND j.scope_id > w.scope_id AND j.attempts >= 0
                ORDER BY j.scope_id, j.run_at LIMIT 1) AS next
            WHERE w.n < $3::int
        ), scopes (scope_id, is_due) AS MATERIALIZED (
            (SELECT DISTINCT scope_id, true FROM oldest
             WHERE scope_id > $2 AND (SELECT is_all FROM sample)
             ORDER BY scope_id LIMIT $3::int)
            UNION ALL
            SELECT scope_id, run_at <= jobs_now() FROM walk
        ), due AS (
            SELECT d.place, d.run_at
            FROM scopes s CROSS JOIN LATERAL (
                SELECT j.ctid AS place, j.run_at FROM jobs j
                WHERE j.queue = $1 AND j.scope_id = s.scope_id AND j.run_at <= jobs_now() AND j.attempts >= 0
                AND (j.lease_owner IS NULL OR $4::boolean)
                ORDER BY j.run_at
                LIMIT greatest(0, $5::bigint - coalesce((
                    SELECT r.n FROM unnest($6::bigint[], $7::bigint[]) AS r (scope_id, n)
                    WHERE r.scope_id = s.scope_id), 0))
                FOR UPDATE SKIP LOCKED) AS d
            WHERE s.is_due
            LIMIT $8::bigint
        ), claimed AS (
            UPDATE jobs j
            SET run_at = jobs_now() + $9::bigint * interval '1 millisecond', lease_owner = $10,
                attempts = j.attempts + 1, again_at = NULL
            FROM due d
            WHERE j.ctid = d.place
            RETURNING j.scope_id, j.ref, j.attempts, d.run_at, j.run_at AS lease_until
        )
        SELECT seen.last, seen.n, c.scope_id, c.ref, c.attempts, c.run_at, c.lease_until
        FROM (SELECT coalesce(max(scope_id), 0) AS last, count(*) AS n FROM scopes) AS seen LEFT JOIN claimed c ON true
        ORDER BY c.scope_id, c.run_at, c.ref)",
        {request.queue, request.after_scope, scopes_per_claim, request.include_expired, request.max_per_scope,
            scopes, counts, request.limit, request.lease.count(), token, few_due});

    ClaimResult result;
    core::ScopeId last_seen{};
    std::int64_t seen = 0;
    for (auto const& row : rows) {
        pg::RowReader r(row);
        last_seen = r.scope_id();
        seen = r.integer();
        if (r.is_null()) break;
        Claim c{
            .queue = std::string(request.queue), .ref = {}, .run_at = {}, .lease_until = {}, .token = token};
        c.scope_id = r.scope_id();
        c.ref = r.uuid();
        c.attempts = static_cast<unsigned>(r.integer());
        c.run_at = r.time();
        c.lease_until = r.time();
        result.claims.push_back(std::move(c));
    }
    bool const filled = result.claims.size() == request.limit && request.limit > 0;
    result.end = !filled && seen < scopes_per_claim;
    if (filled) {
        result.next_scope = result.claims.back().scope_id;
    } else if (!result.end) {
        result.next_scope = last_seen;
    }
    return result;
}

bool complete(pg::Tx& tx, Claim const& claim)
{
    auto const gone = tx.run(R"(
        DELETE FROM jobs
        WHERE scope_id = $1 AND queue = $2 AND ref = $3 AND lease_owner = $4 AND again_at IS NULL)",
        {claim.scope_id, claim.queue, claim.ref, claim.token});
    if (gone.affected_rows() > 0) return true;
    auto const again = tx.run(R"(
        UPDATE jobs SET run_at = again_at, lease_owner = NULL, again_at = NULL, attempts = 0
        WHERE scope_id = $1 AND queue = $2 AND ref = $3 AND lease_owner = $4 AND again_at IS NOT NULL)",
        {claim.scope_id, claim.queue, claim.ref, claim.token});
    return again.affected_rows() > 0;
}

bool put_off(pg::Tx& tx, Claim const& claim, core::Time::duration delay, bool counted)
{
    auto const result = tx.run(R"(
        UPDATE jobs
        SET run_at = least(jobs_now() + $5::bigint * interval '1 microsecond', again_at), lease_owner = NULL,
            again_at = NULL, attempts = attempts - $6::int
        WHERE scope_id = $1 AND queue = $2 AND ref = $3 AND lease_owner = $4)",
        {claim.scope_id, claim.queue, claim.ref, claim.token, delay.count(), counted ? 0 : 1});
    return result.affected_rows() > 0;
}

void record_dead(pg::Tx& tx, Claim const& claim, std::string_view reason, core::Time now)
{
    tx.run(R"(
        INSERT INTO dead_jobs (scope_id, queue, ref, attempts, reason, died_at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (scope_id, queue, ref) DO UPDATE
        SET attempts = excluded.attempts, reason = excluded.reason, died_at = excluded.died_at)",
        {claim.scope_id, claim.queue, claim.ref, claim.attempts, reason, now});
}

std::size_t purge_dead(
    pg::Tx& tx, std::span<core::ScopeId const> scopes, core::Time before, std::size_t limit)
{
    auto const result = tx.run(R"(
        DELETE FROM dead_jobs d
        USING (SELECT scope_id, queue, ref FROM dead_jobs
               WHERE scope_id = ANY ($1::bigint[]) AND died_at < $2
               LIMIT $3::bigint) AS old
        WHERE d.scope_id = old.scope_id AND d.queue = old.queue AND d.ref = old.ref)",
        {scopes, before, limit});
    return result.affected_rows();
}

void give_back(pg::Tx& tx, std::span<Claim const> claims)
{
    if (claims.empty()) return;
    auto const columns = columns_of(claims);
    tx.run(R"(
        UPDATE jobs j
        SET run_at = least(c.run_at, j.again_at), lease_owner = NULL, again_at = NULL, attempts = j.attempts - 1
        FROM unnest($2::bigint[], $3::uuid[], $4::uuid[], $5::timestamptz[]) AS c (scope_id, ref, token, run_at)
        WHERE j.scope_id = c.scope_id AND j.queue = $1 AND j.ref = c.ref AND j.lease_owner = c.token)",
        {claims.front().queue, columns.scopes, columns.refs, columns.tokens,
            pg::Param::array(columns.run_at)});
}

std::size_t renew(pg::Tx& tx, std::span<Claim const> claims, std::chrono::milliseconds lease)
{
    if (claims.empty()) return 0;
    auto const columns = columns_of(claims);
    auto const renewed = tx.run(R"(
        WITH held AS MATERIALIZED (
            SELECT j.scope_id, j.ref
            FROM jobs j
            JOIN unnest($2::bigint[], $3::uuid[], $4::uuid[]) AS c (scope_id, ref, token)
                ON j.scope_id = c.scope_id AND j.queue = $1 AND j.ref = c.ref AND j.lease_owner = c.token
            FOR UPDATE OF j SKIP LOCKED)
        UPDATE jobs j SET run_at = jobs_now() + $5::bigint * interval '1 millisecond'
        FROM held
        WHERE j.scope_id = held.scope_id AND j.queue = $1 AND j.ref = held.ref)",
        {claims.front().queue, columns.scopes, columns.refs, columns.tokens, lease.count()});
    return renewed.affected_rows();
}

} // namespace jobs
