#include "storage/syncs.hpp"

#include "pg/row.hpp"
#include "pg/sql.hpp"

namespace billing::syncs {

/// Condition for rows `e` of entitlements whose renewal or end is overdue.
constexpr auto overdue_condition = pg::sql(R"(
    e.source = 'purchases' AND e.status = 'active' AND e.expires_at < $2::timestamptz
    AND (e.grace_until IS NULL OR e.grace_until < $2::timestamptz))");

/// Condition that the user of row `e` has no delay or lease, and that the tenant has no pause. The pause is
/// the row with the empty user id.
constexpr auto may_ask_condition = pg::sql(R"(
    NOT EXISTS (
        SELECT
        FROM syncs s
        WHERE s.tenant_id = e.scope_id / 2 AND s.user_id IN ('', e.user_id)
            AND (s.not_before > $3::timestamptz OR s.leased_until > $3::timestamptz)
    ))");

std::optional<Lease> acquire(pg::Tx& tx, core::TenantId tenant_id, core::UserId const& user_id,
    core::Time now, core::Time leased_until)
{
    Lease lease{tenant_id, user_id, core::Uuid::v7()};
    auto const acquired = tx.run(R"(
        INSERT INTO syncs AS s (tenant_id, user_id, lease_owner, leased_until)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (tenant_id, user_id) DO UPDATE SET lease_owner = excluded.lease_owner,
            leased_until = excluded.leased_until
        WHERE s.leased_until IS NULL OR s.leased_until <= $5::timestamptz
        RETURNING 1)",
        {tenant_id, user_id, lease.owner, leased_until, now});
    if (acquired.empty()) return std::nullopt;
    return lease;
}

std::optional<Lease> acquire_overdue(
    pg::Tx& tx, core::TenantId tenant_id, core::Time overdue, core::Time now, core::Time leased_until)
{
    auto const users = tx.run(pg::sql<overdue_condition, may_ask_condition>(R"(
        SELECT e.user_id
        FROM entitlements e
        WHERE e.scope_id = ANY ($1::bigint[]) AND {overdue_condition} AND {may_ask_condition}
        ORDER BY e.expires_at, e.user_id
        LIMIT 1)"),
        {pg::Scopes::of_tenant(tenant_id).ids(), overdue, now});
    auto const user = pg::read_first(users, &pg::RowReader::user_id);
    if (!user) return std::nullopt;
    return acquire(tx, tenant_id, *user, now, leased_until);
}

void complete(pg::Tx& tx, Lease const& lease)
{
    tx.run("DELETE FROM syncs WHERE tenant_id = $1 AND user_id = $2 AND lease_owner = $3",
        {lease.tenant_id, lease.user_id, lease.owner});
}

void release(pg::Tx& tx, Lease const& lease, std::optional<core::Time> not_before)
{
    // A row that has neither a lease nor a delay is deleted. Otherwise such rows would accumulate, because
    // callers may request a sync of any user id.
    tx.run(R"(
        WITH gone AS (
            DELETE FROM syncs
            WHERE tenant_id = $1 AND user_id = $2 AND lease_owner = $3
                AND coalesce($4::timestamptz, not_before) IS NULL
        )
        UPDATE syncs
        SET lease_owner = NULL, leased_until = NULL, not_before = coalesce($4::timestamptz, not_before)
        WHERE tenant_id = $1 AND user_id = $2 AND lease_owner = $3
            AND coalesce($4::timestamptz, not_before) IS NOT NULL)",
        {lease.tenant_id, lease.user_id, lease.owner, not_before});
}

bool is_overdue(pg::Tx& tx, core::TenantId tenant_id, core::UserId const& user_id, core::Time overdue)
{
    auto const found = tx.run(pg::sql<overdue_condition>(R"(
        SELECT 1
        FROM entitlements e
        WHERE e.scope_id = ANY ($1::bigint[]) AND {overdue_condition} AND e.user_id = $3
        LIMIT 1)"),
        {pg::Scopes::of_tenant(tenant_id).ids(), overdue, user_id});
    return !found.empty();
}

void pause(pg::Tx& tx, core::TenantId tenant_id, core::Time until)
{
    tx.run(R"(
        INSERT INTO syncs (tenant_id, user_id, not_before)
        VALUES ($1, '', $2)
        ON CONFLICT (tenant_id, user_id) DO UPDATE SET not_before = excluded.not_before)",
        {tenant_id, until});
}

void resume(pg::Tx& tx, core::TenantId tenant_id)
{
    tx.run("DELETE FROM syncs WHERE tenant_id = $1 AND user_id = ''", {tenant_id});
}

std::vector<core::TenantId> tenants_overdue(
    pg::Tx& tx, std::span<core::ScopeId const> scopes, core::Time overdue, core::Time now)
{
    auto const tenants = tx.run(pg::sql<overdue_condition, may_ask_condition>(R"(
        SELECT d.scope_id / 2
        FROM scope_settings d
        WHERE d.scope_id = ANY ($1::bigint[]) AND d.scope_id % 2 = 0
            AND jsonb_typeof(d.document -> 'purchasesApiKey') = 'string'
            AND EXISTS (
                SELECT
                FROM entitlements e
                WHERE e.scope_id IN (d.scope_id, d.scope_id + 1)
                    AND {overdue_condition} AND {may_ask_condition}
            )
        ORDER BY 1)"),
        {scopes, overdue, now});
    return pg::read_rows(tenants, &pg::RowReader::tenant_id);
}

} // namespace billing::syncs
