#include "storage/sync_requests.hpp"

#include "core/id.hpp"
#include "jobs/queue.hpp"
#include "pg/row.hpp"

namespace billing::sync_requests {

void insert(pg::Tx& tx, core::ScopeId scope_id, Source source, std::span<SyncRequest const> requests)
{
    if (requests.empty()) return;
    // In the order of their keys, so that two transactions cannot deadlock.
    tx.run(R"(
        WITH waiting AS MATERIALIZED (
            SELECT kind.is_transfer, clock_timestamp() AS now, (
                SELECT count(*)
                FROM (
                    SELECT
                    FROM sync_requests w
                    WHERE w.scope_id = $1 AND w.source = $2 AND w.is_transfer = kind.is_transfer
                    LIMIT $6::bigint
                ) AS w
            ) AS number
            FROM (VALUES (false), (true)) AS kind(is_transfer)
        )
        INSERT INTO sync_requests AS r (
            scope_id, user_id, source, requested_at, repeated_at, is_transfer, ended_at
        )
        SELECT $1, n.user_id, $2, waiting.now, waiting.now, n.is_transfer, n.ended_at
        FROM unnest($3::text[], $4::boolean[], $5::timestamptz[]) AS n(user_id, is_transfer, ended_at)
        JOIN waiting USING (is_transfer)
        WHERE waiting.number < $6::bigint OR EXISTS (
            SELECT
            FROM sync_requests w
            WHERE w.scope_id = $1 AND w.user_id = n.user_id AND w.source = $2
        )
        ORDER BY n.user_id
        ON CONFLICT (scope_id, user_id, source) DO UPDATE SET repeated_at = excluded.repeated_at,
            is_transfer = r.is_transfer OR excluded.is_transfer,
            ended_at = greatest(r.ended_at, excluded.ended_at), not_before = NULL)",
        {scope_id, to_string(source),
            pg::column(requests, [](SyncRequest const& r) { return std::string_view(r.user_id.text()); }),
            pg::column(requests, [](SyncRequest const& r) { return r.is_transfer; }),
            pg::column(requests, [](SyncRequest const& r) { return r.ended_at; }), max_waiting});
    auto const home = core::scope_of(core::tenant_of(scope_id), core::Environment::production);
    jobs::enqueue(tx, queue, home, core::Uuid());
}

bool is_full(pg::Tx& tx, core::TenantId tenant_id)
{
    auto const full = tx.run(R"(
        SELECT 1
        FROM sync_requests r
        WHERE r.scope_id = ANY ($1::bigint[])
        GROUP BY r.scope_id, r.source, r.is_transfer
        HAVING count(*) >= $2::bigint
        LIMIT 1)",
        {pg::Scopes::of_tenant(tenant_id).ids(), max_waiting});
    return !full.empty();
}

std::optional<Waiting> next(
    pg::Tx& tx, core::TenantId tenant_id, std::span<Source const> sources, core::Time now)
{
    for (auto const scope_id : core::scopes_of(tenant_id)) { // production first
        auto const found = tx.run(pg::sql<may_serve_condition>(R"(
            SELECT r.user_id, r.source
            FROM (SELECT $4::bigint AS tenant_id) AS k
            CROSS JOIN sync_requests r
            LEFT JOIN syncs p ON p.tenant_id = $4::bigint AND p.user_id = ''
            WHERE r.scope_id = $1 AND r.source = ANY ($2::text[]) AND {may_serve_condition}
                AND (
                    CASE r.source
                        WHEN 'payments' THEN p.payments_not_before
                        ELSE p.not_before
                    END > $3::timestamptz
                ) IS NOT TRUE
            ORDER BY r.is_transfer DESC, r.requested_at, r.user_id
            LIMIT 1)"),
            {scope_id, pg::column(sources, [](Source source) { return to_string(source); }), now, tenant_id});
        auto const read = [&](pg::RowReader& r) {
            auto user_id = r.user_id();
            return Waiting{.scope_id = scope_id, .user_id = std::move(user_id), .source = r.one_of<Source>()};
        };
        if (auto request = pg::read_first(found, read)) return request;
    }
    return std::nullopt;
}

std::optional<SyncRequest> complete(
    pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id, Source source, core::Time sent_at)
{
    // A request that was repeated during the sync waits since it was repeated.
    auto const done = tx.run(R"(
        WITH repeated AS (
            UPDATE sync_requests
            SET requested_at = repeated_at
            WHERE scope_id = $1 AND user_id = $2 AND source = $3 AND repeated_at > $4::timestamptz
        )
        DELETE FROM sync_requests r
        WHERE r.scope_id = $1 AND r.user_id = $2 AND r.source = $3 AND r.repeated_at <= $4::timestamptz
        RETURNING r.is_transfer, r.ended_at)",
        {scope_id, user_id, to_string(source), sent_at});
    return pg::read_first(done, [&](pg::RowReader& r) {
        bool const is_transfer = r.boolean();
        return SyncRequest{user_id, is_transfer, r.optional_time()};
    });
}

void delay(
    pg::Tx& tx, core::TenantId tenant_id, core::UserId const& user_id, Source source, core::Time not_before)
{
    tx.run(R"(
        UPDATE sync_requests
        SET not_before = $4
        WHERE scope_id = ANY ($1::bigint[]) AND user_id = $2 AND source = $3)",
        {pg::Scopes::of_tenant(tenant_id).ids(), user_id, to_string(source), not_before});
}

void remove(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id)
{
    tx.run("DELETE FROM sync_requests WHERE scope_id = $1 AND user_id = $2", {scope_id, user_id});
}

} // namespace billing::sync_requests
