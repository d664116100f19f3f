#include "storage/syncs.hpp"

#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/subscriptions.hpp"
#include "storage/sync_requests.hpp"

namespace billing::syncs {

namespace {

/// Condition for rows `e` of entitlements whose period and grace period ended before $2.
constexpr auto ended_condition = pg::sql(R"(
    e.source = 'purchases' AND e.expires_at < $2::timestamptz
    AND (e.grace_until IS NULL OR e.grace_until < $2::timestamptz))");

/// Conditions for these rows: a renewal or an end is overdue, or a pause or billing issue may have ended.
constexpr auto active_condition = pg::sql<ended_condition>("{ended_condition} AND e.status = 'active'");
constexpr auto unsettled_condition = pg::sql<ended_condition>(R"({ended_condition}
    AND e.status <> 'active' AND (
        e.status = 'paused'
        OR (e.last_event_type = 'BILLING_ISSUE' AND e.expires_at > $4::timestamptz)
        OR (
            e.last_event_type = 'SYNC' AND e.lines::text LIKE '%"inBillingIssue":true%'
            AND e.expires_at > $4::timestamptz
        )
    ))");

/// Condition that the user of row `e` has no delay or lease at $3. `k.tenant_id` is a value, not an
/// expression of `e.scope_id`: under row-level security a division, which may fail, cannot be an index
/// condition.
constexpr auto may_sync_condition = pg::sql(R"(
    NOT EXISTS (
        SELECT
        FROM syncs s
        WHERE s.tenant_id = k.tenant_id AND s.user_id = e.user_id
            AND (s.not_before > $3::timestamptz OR s.leased_until > $3::timestamptz)
    ))");

} // namespace

std::optional<Lease> acquire(
    pg::Tx& tx, core::TenantId tenant_id, core::UserId const& user_id, core::Time now)
{
    Lease lease{tenant_id, user_id, core::Uuid::v7()};
    auto const acquired = tx.run(R"(
        INSERT INTO syncs AS s (tenant_id, user_id, lease_owner, leased_until)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (tenant_id, user_id) DO UPDATE SET lease_owner = excluded.lease_owner,
            leased_until = excluded.leased_until
        WHERE s.leased_until IS NULL OR s.leased_until <= $5::timestamptz
        RETURNING 1)",
        {tenant_id, user_id, lease.owner, now + lease_time, now});
    if (acquired.empty()) return std::nullopt;
    return lease;
}

std::optional<Lease> acquire_overdue(pg::Tx& tx, core::TenantId tenant_id, core::Time now)
{
    // With LIMIT, the pause is looked up once, before the rows of the users.
    auto const users =
        tx.run(pg::sql<active_condition, may_sync_condition, unsettled_condition, may_sync_condition>(R"(
        SELECT found.user_id
        FROM (
            SELECT $5::bigint AS tenant_id
            WHERE NOT EXISTS (
                SELECT
                FROM syncs p
                WHERE p.tenant_id = $5::bigint AND p.user_id = '' AND p.not_before > $3::timestamptz
            )
            LIMIT 1
        ) AS k
        CROSS JOIN LATERAL (
            (
                SELECT e.user_id, e.expires_at
                FROM entitlements e
                WHERE e.scope_id = ANY ($1::bigint[]) AND {active_condition} AND {may_sync_condition}
                ORDER BY e.expires_at, e.user_id
                LIMIT 1
            )
            UNION ALL (
                SELECT e.user_id, e.expires_at
                FROM entitlements e
                WHERE e.scope_id = ANY ($1::bigint[]) AND {unsettled_condition} AND {may_sync_condition}
                ORDER BY e.expires_at, e.user_id
                LIMIT 1
            )
        ) AS found
        ORDER BY found.expires_at, found.user_id
        LIMIT 1)"),
            {pg::Scopes::of_tenant(tenant_id).ids(), now - overdue_after, now, now - issue_time, tenant_id});
    auto const user = pg::read_first(users, &pg::RowReader::user_id);
    if (!user) return std::nullopt;
    return acquire(tx, tenant_id, *user, now);
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

std::optional<std::chrono::hours> wait_after_sync(
    pg::Tx& tx, core::TenantId tenant_id, core::UserId const& user_id, core::Time now)
{
    auto const found = tx.run(pg::sql<active_condition, unsettled_condition>(R"(
        SELECT e.status = 'paused'
        FROM entitlements e
        WHERE e.scope_id = ANY ($1::bigint[]) AND e.user_id = $3
            AND (({active_condition}) OR ({unsettled_condition}))
        ORDER BY 1
        LIMIT 1)"),
        {pg::Scopes::of_tenant(tenant_id).ids(), now - overdue_after, user_id, now - issue_time});
    auto const is_paused = pg::read_first(found, &pg::RowReader::boolean);
    if (!is_paused) return std::nullopt;
    return *is_paused ? wait_if_paused : wait_if_overdue;
}

void pause(pg::Tx& tx, core::TenantId tenant_id, Source source, core::Time until)
{
    if (source == Source::payments)
        tx.run(R"(
            INSERT INTO syncs (tenant_id, user_id, payments_not_before)
            VALUES ($1, '', $2)
            ON CONFLICT (tenant_id, user_id) DO UPDATE SET
                payments_not_before = excluded.payments_not_before)",
            {tenant_id, until});
    else
        tx.run(R"(
            INSERT INTO syncs (tenant_id, user_id, not_before)
            VALUES ($1, '', $2)
            ON CONFLICT (tenant_id, user_id) DO UPDATE SET not_before = excluded.not_before)",
            {tenant_id, until});
}

void resume(pg::Tx& tx, core::TenantId tenant_id, Source source)
{
    bool const payments = source == Source::payments;
    tx.run(R"(
        WITH gone AS (
            DELETE FROM syncs
            WHERE tenant_id = $1 AND user_id = ''
                AND CASE WHEN $2::boolean THEN not_before ELSE payments_not_before END IS NULL
        )
        UPDATE syncs
        SET not_before = CASE WHEN $2::boolean THEN not_before END,
            payments_not_before = CASE WHEN $2::boolean THEN NULL ELSE payments_not_before END
        WHERE tenant_id = $1 AND user_id = ''
            AND CASE WHEN $2::boolean THEN not_before ELSE payments_not_before END IS NOT NULL)",
        {tenant_id, payments});
}

std::vector<core::TenantId> tenants_with_work(
    pg::Tx& tx, std::span<core::ScopeId const> scopes, core::Time now)
{
    std::vector<core::TenantId> ids;
    for (auto const scope_id : scopes)
        if (core::environment_of(scope_id) == core::Environment::production)
            ids.push_back(core::tenant_of(scope_id));
    auto const scope_in = [&](core::Environment environment) {
        return pg::column(ids, [&](core::TenantId id) { return core::scope_of(id, environment); });
    };
    auto const tenants = tx.run(pg::sql<active_condition, may_sync_condition, unsettled_condition,
                                    may_sync_condition, sync_requests::may_serve_condition>(R"(
        SELECT k.tenant_id
        FROM unnest($1::bigint[], $5::bigint[], $6::bigint[]) AS k(tenant_id, production, sandbox)
        CROSS JOIN LATERAL (
            SELECT jsonb_typeof(d.document -> 'purchasesApiKey') IS NOT DISTINCT FROM 'string'
                    AND (p.not_before > $3::timestamptz) IS NOT TRUE AS purchases,
                jsonb_typeof(d.document -> 'paymentsApiKey') IS NOT DISTINCT FROM 'string'
                    AND (p.payments_not_before > $3::timestamptz) IS NOT TRUE AS payments
            FROM scope_settings d
            LEFT JOIN syncs p ON p.tenant_id = k.tenant_id AND p.user_id = ''
            WHERE d.scope_id = k.production
            LIMIT 1
        ) AS may_ask
        WHERE (
            may_ask.purchases AND EXISTS (
                SELECT
                FROM entitlements e
                WHERE e.scope_id IN (k.production, k.sandbox) AND {active_condition} AND {may_sync_condition}
            )
        )
        OR (
            may_ask.purchases AND EXISTS (
                SELECT
                FROM entitlements e
                WHERE e.scope_id IN (k.production, k.sandbox)
                    AND {unsettled_condition} AND {may_sync_condition}
            )
        )
        OR (
            (may_ask.purchases OR may_ask.payments) AND EXISTS (
                SELECT
                FROM sync_requests r
                WHERE r.scope_id IN (k.production, k.sandbox) AND {may_serve_condition}
                    AND CASE r.source WHEN 'payments' THEN may_ask.payments ELSE may_ask.purchases END
            )
        )
        ORDER BY 1)"),
        {std::span<core::TenantId const>(ids), now - overdue_after, now, now - issue_time,
            scope_in(core::Environment::production), scope_in(core::Environment::sandbox)});
    return pg::read_rows(tenants, &pg::RowReader::tenant_id);
}

std::vector<Subscription> subscriptions_by_id(
    pg::Tx& tx, core::ScopeId scope_id, std::span<std::string const> ids)
{
    if (ids.empty()) return {};
    auto const result = tx.run(pg::sql<subscriptions::columns>(R"(
        SELECT {columns}
        FROM unnest($2::text[]) AS k(subscription_id)
        CROSS JOIN LATERAL (
            SELECT *
            FROM payment_subscriptions x
            WHERE x.scope_id = $1 AND x.subscription_id = k.subscription_id
            LIMIT 1
        ) AS s)"),
        {scope_id, pg::column(ids, [](std::string const& id) { return std::string_view(id); })});
    return pg::read_rows(result, subscriptions::read);
}

} // namespace billing::syncs
