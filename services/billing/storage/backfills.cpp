#include "storage/backfills.hpp"

#include "jobs/queue.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"

namespace billing::backfills {

namespace {

constexpr auto columns = pg::sql(R"(
    b.backfill_id, b.source, b.since, b.status, b.last_id, b.processed, b.changed, b.failed,
    b.started_at, b.progress_at, b.completed_at, b.last_error, b.traceparent)");

Backfill read(pg::RowReader& r)
{
    Backfill b;
    b.id = r.uuid();
    b.source = r.one_of<Source>();
    b.since = r.optional_time();
    b.status = r.one_of<Status>();
    b.last_id = r.text();
    b.counts.processed = r.integer();
    b.counts.changed = r.integer();
    b.counts.failed = r.integer();
    b.started_at = r.optional_time();
    b.progress_at = r.time();
    b.completed_at = r.optional_time();
    b.last_error = r.optional_text();
    b.traceparent = r.text();
    return b;
}

Started read_started(pg::RowReader& r)
{
    auto backfill = read(r);
    return {std::move(backfill), r.time()};
}

void end(pg::Tx& tx, core::TenantId tenant_id, core::Uuid const& id, Status status,
    std::optional<std::string_view> error)
{
    tx.run(R"(
        UPDATE backfills
        SET status = $3, last_error = $4, completed_at = jobs_now(), last_id = ''
        WHERE tenant_id = $1 AND backfill_id = $2 AND completed_at IS NULL)",
        {tenant_id, id, to_string(status), error});
}

} // namespace

bool insert(pg::Tx& tx, core::TenantId tenant_id, Backfill const& backfill)
{
    auto const inserted = tx.run(R"(
        INSERT INTO backfills (tenant_id, backfill_id, source, since, progress_at, traceparent)
        VALUES ($1, $2, $3, $4, jobs_now(), $5)
        ON CONFLICT (tenant_id) WHERE completed_at IS NULL DO NOTHING)",
        {tenant_id, backfill.id, to_string(backfill.source), backfill.since, backfill.traceparent});
    if (inserted.affected_rows() == 0) return false;
    jobs::enqueue(tx, queue, core::scope_of(tenant_id, core::Environment::production), backfill.id);
    return true;
}

std::optional<Backfill> find(pg::Tx& tx, core::TenantId tenant_id, core::Uuid const& id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM backfills b
        WHERE b.tenant_id = $1 AND b.backfill_id = $2)"),
        {tenant_id, id});
    return pg::read_first(result, read);
}

std::optional<Started> begin(pg::Tx& tx, core::TenantId tenant_id, core::Uuid const& id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        UPDATE backfills b
        SET status = 'running', started_at = coalesce(b.started_at, jobs_now()),
            progress_at = CASE WHEN b.started_at IS NULL THEN jobs_now() ELSE b.progress_at END
        WHERE b.tenant_id = $1 AND b.backfill_id = $2 AND b.completed_at IS NULL
        RETURNING {columns}, jobs_now())"),
        {tenant_id, id});
    return pg::read_first(result, read_started);
}

bool advance(pg::Tx& tx, core::TenantId tenant_id, core::Uuid const& id, Step const& step)
{
    auto const result = tx.run(R"(
        UPDATE backfills
        SET last_id = $4, processed = processed + $5::bigint, changed = changed + $6::bigint,
            failed = failed + $7::bigint, progress_at = jobs_now(), last_error = NULL
        WHERE tenant_id = $1 AND backfill_id = $2 AND last_id = $3 AND completed_at IS NULL)",
        {tenant_id, id, step.from, step.to, step.counts.processed, step.counts.changed, step.counts.failed});
    return result.affected_rows() > 0;
}

void restart(pg::Tx& tx, core::TenantId tenant_id, core::Uuid const& id, std::string_view from)
{
    tx.run(R"(
        UPDATE backfills
        SET last_id = '', processed = 0, failed = 0
        WHERE tenant_id = $1 AND backfill_id = $2 AND last_id = $3 AND completed_at IS NULL)",
        {tenant_id, id, from});
}

void set_error(pg::Tx& tx, core::TenantId tenant_id, core::Uuid const& id, std::string_view error)
{
    tx.run(R"(
        UPDATE backfills
        SET last_error = $3
        WHERE tenant_id = $1 AND backfill_id = $2 AND completed_at IS NULL)",
        {tenant_id, id, error});
}

void complete(pg::Tx& tx, core::TenantId tenant_id, core::Uuid const& id)
{
    end(tx, tenant_id, id, Status::done, std::nullopt);
}

void fail(pg::Tx& tx, core::TenantId tenant_id, core::Uuid const& id, std::string_view error)
{
    end(tx, tenant_id, id, Status::failed, error);
}

std::size_t purge(pg::Tx& tx, std::span<core::ScopeId const> scopes, core::Time before, std::size_t limit)
{
    auto const result = tx.run(R"(
        DELETE FROM backfills b
        USING (
            SELECT o.tenant_id, o.backfill_id
            FROM backfills o
            WHERE o.tenant_id IN (SELECT s / 2 FROM unnest($1::bigint[]) AS s) AND o.completed_at < $2
            LIMIT $3::bigint
        ) AS old
        WHERE b.tenant_id = old.tenant_id AND b.backfill_id = old.backfill_id)",
        {scopes, before, limit});
    return result.affected_rows();
}

} // namespace billing::backfills
