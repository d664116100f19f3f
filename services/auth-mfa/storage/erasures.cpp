#include "storage/erasures.hpp"

#include "jobs/queue.hpp"
#include "pg/row.hpp"
#include "user_data/user_data.hpp"

namespace auth_mfa::erasures {

namespace {

/// When the job of `queue` begins. Until then, the request that deleted the account has erased the user, or
/// has given up.
constexpr auto delay = user_data::UserData::time_limit + std::chrono::seconds(10);

/// The columns of `read`.
constexpr std::string_view select_erasures = R"(
    SELECT e.erasure_id, e.user_id, e.requested_at, e.expires_at, e.completed_at,
        t.service, t.status, t.attempts, t.last_error, t.done_at
    FROM page e
    LEFT JOIN erasure_targets t ON t.scope_id = $1 AND t.erasure_id = e.erasure_id
    ORDER BY e.requested_at DESC, e.erasure_id DESC,
        array_position(ARRAY['feedback', 'notify', 'billing'], t.service))";

ErasureTarget read_target(pg::RowReader& r)
{
    ErasureTarget target;
    target.service = r.one_of<ErasureService>();
    target.status = r.one_of<ErasureStatus>();
    target.attempts = r.integer();
    target.last_error = r.optional_text();
    target.done_at = r.optional_time();
    return target;
}

/// Each row is an erasure with one of its targets. The rows of an erasure follow each other.
std::vector<Erasure> read(pg::Rows const& rows)
{
    std::vector<Erasure> found;
    for (auto const row : rows) {
        pg::RowReader r(row);
        auto const id = r.uuid();
        Erasure erasure{.id = id,
            .user_id = UserId(r.uuid()),
            .requested_at = r.time(),
            .expires_at = r.time(),
            .completed_at = r.optional_time(),
            .targets = {}};
        if (found.empty() || found.back().id != id) found.push_back(std::move(erasure));
        if (!r.is_null()) found.back().targets.push_back(read_target(r));
    }
    return found;
}

/// Completes the erasure if nothing of the user is left in any service.
void complete(pg::Tx& tx, core::Scope const& scope, core::Uuid const& id, core::Time now)
{
    tx.run(R"(
        UPDATE erasures
        SET completed_at = $3
        WHERE scope_id = $1 AND erasure_id = $2 AND completed_at IS NULL AND erased_at IS NOT NULL
            AND NOT EXISTS (
                SELECT
                FROM erasure_targets
                WHERE scope_id = $1 AND erasure_id = $2 AND status <> 'done'
            ))",
        {scope.id, id, now});
}

/// Locks the erasure, so that of two jobs that end at the same time the second one sees the first.
void lock(pg::Tx& tx, core::Scope const& scope, core::Uuid const& id)
{
    tx.run("SELECT FROM erasures WHERE scope_id = $1 AND erasure_id = $2 FOR NO KEY UPDATE", {scope.id, id});
}

} // namespace

std::string queue_of(ErasureService service)
{
    return std::string(queue) + '.' + std::string(to_string(service));
}

core::Uuid insert(
    pg::Tx& tx, core::Scope const& scope, UserId user_id, std::span<ErasureService const> targets)
{
    pg::lock_scope(tx, scope.id);
    auto const id = core::Uuid::v7();
    std::vector<std::string> services;
    for (auto const service : targets)
        services.emplace_back(to_string(service));
    tx.run(R"(
        WITH added AS (
            INSERT INTO erasures (scope_id, erasure_id, user_id, requested_at, expires_at)
            VALUES ($1, $2, $3, clock_timestamp(), jobs_now() + interval '72 hours')
        )
        INSERT INTO erasure_targets (scope_id, erasure_id, service)
        SELECT $1, $2, unnest($4::text[]))",
        {scope.id, id, user_id, services});
    jobs::enqueue(tx, queue, scope.id, id, jobs::now(tx) + delay);
    for (auto const service : targets)
        jobs::enqueue(tx, queue_of(service), scope.id, id);
    return id;
}

std::optional<Erasure> find(pg::Tx& tx, core::Scope const& scope, core::Uuid const& id)
{
    static std::string const sql =
        "WITH page AS (SELECT * FROM erasures WHERE scope_id = $1 AND erasure_id = $2)" +
        std::string(select_erasures);
    auto found = read(tx.run(sql, {scope.id, id}));
    return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::vector<Erasure> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit)
{
    static std::string const sql = R"(
        WITH page AS (
            SELECT *
            FROM erasures
            WHERE scope_id = $1 AND (requested_at, erasure_id) < ($2::timestamptz, $3::uuid)
            ORDER BY requested_at DESC, erasure_id DESC
            LIMIT $4::bigint
        ))" + std::string(select_erasures);
    return read(tx.run(sql, {scope.id, paging::time_of(after), paging::id_of(after), limit}));
}

void set_erased(pg::Tx& tx, core::Scope const& scope, core::Uuid const& id, core::Time now)
{
    lock(tx, scope, id);
    tx.run(R"(
        UPDATE erasures
        SET erased_at = $3
        WHERE scope_id = $1 AND erasure_id = $2 AND erased_at IS NULL)",
        {scope.id, id, now});
    complete(tx, scope, id, now);
    static_cast<void>(jobs::withdraw(tx, queue, scope.id, id));
}

void record_attempt(pg::Tx& tx, core::Scope const& scope, core::Uuid const& id, ErasureService service,
    Attempt const& attempt, core::Time now)
{
    lock(tx, scope, id);
    bool const done = attempt.status == ErasureStatus::done;
    tx.run(R"(
        UPDATE erasure_targets
        SET status = $4, attempts = attempts + 1, last_error = $5, done_at = $6
        WHERE scope_id = $1 AND erasure_id = $2 AND service = $3 AND status = 'pending')",
        {scope.id, id, to_string(service), to_string(attempt.status), attempt.error,
            done ? std::optional(now) : std::nullopt});
    complete(tx, scope, id, now);
}

std::size_t purge(pg::Tx& tx, std::vector<core::ScopeId> const& scopes, core::Time before, std::size_t limit)
{
    return tx
        .run(R"(
        DELETE FROM erasures
        WHERE ctid = ANY (
            ARRAY(
                SELECT ctid
                FROM erasures e
                WHERE scope_id = ANY ($1::bigint[]) AND requested_at < $2 AND erased_at IS NOT NULL
                    AND NOT EXISTS (
                        SELECT
                        FROM erasure_targets t
                        WHERE t.scope_id = e.scope_id AND t.erasure_id = e.erasure_id AND t.status = 'pending'
                    )
                LIMIT $3::bigint
            )
        ))",
            {scopes, before, limit})
        .affected_rows();
}

} // namespace auth_mfa::erasures
