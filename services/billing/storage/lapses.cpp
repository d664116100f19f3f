#include "storage/lapses.hpp"

#include "domain/settings.hpp"
#include "jobs/queue.hpp"
#include "pg/sql.hpp"
#include "storage/entitlement_rows.hpp"

namespace billing::lapses {

namespace {

using entitlements::access_end, entitlements::columns;

/// Selects the ids of at most `limit` open entitlements of scope `k.scope_id`, per index, whose access ended
/// at `k.now` or before. An index of migration 0007 serves each part, which has the condition of that index.
/// The order and the constant limit make the planner use the index. `k` must be materialized: under row-level
/// security only values, and no expressions, can be index conditions.
///
/// `k` has the columns of `access_end`, and: `renewed_before`, which is `now` minus the leeway, and
/// `past_due_before`, which is `now`, or 'infinity' if past due subscriptions give no access.
template <auto const& limit>
constexpr auto lapsed = pg::sql<access_end, limit, access_end, limit, access_end, limit>(R"(
    (
        SELECT e.entitlement_id
        FROM entitlements e
        WHERE e.scope_id = k.scope_id AND e.is_open AND e.past_due_until IS NULL
            AND (e.renewal_until IS NULL OR e.leeway_ends_at IS NOT NULL)
            AND e.access_until < 'infinity' AND e.access_until <= k.now AND {access_end} <= k.now
        ORDER BY e.access_until
        LIMIT {limit}
    )
    UNION ALL (
        SELECT e.entitlement_id
        FROM entitlements e
        WHERE e.scope_id = k.scope_id AND e.is_open AND e.past_due_until IS NULL
            AND e.renewal_until IS NOT NULL AND e.leeway_ends_at IS NULL
            AND e.renewal_until <= k.renewed_before AND {access_end} <= k.now
        ORDER BY e.renewal_until
        LIMIT {limit}
    )
    UNION ALL (
        SELECT e.entitlement_id
        FROM entitlements e
        WHERE e.scope_id = k.scope_id AND e.is_open AND e.past_due_until IS NOT NULL
            AND e.past_due_until <= k.past_due_before AND {access_end} <= k.now
        ORDER BY e.past_due_until
        LIMIT {limit}
    ))");

constexpr auto one = pg::sql("1");
constexpr auto most = pg::sql("200"); // max_closed
static_assert(max_closed == 200);

/// Not less than any id.
constexpr core::Uuid greatest_id = core::Uuid::from_bytes(
    {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});

/// The planner overestimates the cost of the statements with `lapsed`. It would then compile them, which
/// takes longer than to run them.
void disable_compilation(pg::Tx& tx)
{
    tx.run("SELECT set_config('jit', 'off', true)");
}

} // namespace

std::vector<core::ScopeId> scopes_due(pg::Tx& tx, std::span<core::ScopeId const> scopes, core::Time now)
{
    std::vector<core::ScopeId> homes; // the scopes with the settings
    for (auto const scope_id : scopes)
        homes.push_back(core::scope_of(core::tenant_of(scope_id), core::Environment::production));
    disable_compilation(tx);
    auto const result = tx.run(pg::sql<lapsed<one>>(R"(
        WITH k AS MATERIALIZED (
            SELECT s.scope_id, $3::timestamptz AS now, t.leeway, t.past_due_is_active,
                $3::timestamptz - t.leeway * interval '1 second' AS renewed_before,
                CASE WHEN t.past_due_is_active THEN $3::timestamptz ELSE 'infinity' END AS past_due_before
            FROM unnest($1::bigint[], $2::bigint[]) AS s(scope_id, home_id)
            LEFT JOIN LATERAL (
                SELECT x.document
                FROM scope_settings x
                WHERE x.scope_id = s.home_id
                LIMIT 1
            ) AS d
                ON true
            CROSS JOIN LATERAL (
                SELECT coalesce((d.document ->> $4::text)::bigint, $6::bigint) AS leeway,
                    coalesce((d.document ->> $5::text)::boolean, $7::boolean) AS past_due_is_active
            ) AS t
        )
        SELECT k.scope_id
        FROM k
        CROSS JOIN LATERAL (
            {lapsed}
            LIMIT 1
        ) AS found)"),
        {scopes, homes, now, settings::renewal_leeway_name, settings::past_due_is_active_name,
            AccessSettings().renewal_leeway.count(), AccessSettings().past_due_is_active});
    return pg::read_rows(result, &pg::RowReader::scope_id);
}

std::vector<Entitlement> close(
    pg::Tx& tx, core::ScopeId scope_id, AccessSettings const& settings, core::Time now)
{
    disable_compilation(tx);
    // For the statistics: the day on which access has ended.
    tx.run("SELECT set_config('app.renewal_leeway', $1, true)",
        {std::to_string(settings.renewal_leeway.count())});
    auto const result = tx.run(pg::sql<lapsed<most>, most, columns>(R"(
        WITH k AS MATERIALIZED (
            SELECT $1::bigint AS scope_id, $2::timestamptz AS now, $3::bigint AS leeway,
                $4::boolean AS past_due_is_active,
                $2::timestamptz - $3::bigint * interval '1 second' AS renewed_before,
                CASE WHEN $4::boolean THEN $2::timestamptz ELSE 'infinity' END AS past_due_before
        )
        UPDATE entitlements e
        SET is_open = false
        WHERE e.scope_id = $1 AND e.entitlement_id = ANY (ARRAY(
            SELECT found.entitlement_id
            FROM k
            CROSS JOIN LATERAL ({lapsed}) AS found
            LIMIT {most}
        ))
        RETURNING {columns})"),
        {scope_id, now, settings.renewal_leeway.count(), settings.past_due_is_active});
    return pg::read_rows(result, entitlements::read);
}

std::optional<core::Uuid> reopen(pg::Tx& tx, core::ScopeId scope_id, AccessSettings const& settings,
    core::Time now, core::Uuid const& after)
{
    // The last of the next 2,000 entitlements. The constant makes the planner use the primary key.
    auto const found = tx.run(R"(
        SELECT e.entitlement_id
        FROM entitlements e
        WHERE e.scope_id = $1 AND e.entitlement_id > $2
        ORDER BY e.entitlement_id
        OFFSET 1999
        LIMIT 1)",
        {scope_id, after});
    auto const last = pg::read_first(found, &pg::RowReader::uuid);
    tx.run(pg::sql<access_end>(R"(
        WITH k AS MATERIALIZED (SELECT $5::bigint AS leeway, $6::boolean AS past_due_is_active)
        UPDATE entitlements e
        SET is_open = true
        FROM k
        WHERE e.scope_id = $1 AND e.entitlement_id > $2
            AND e.entitlement_id <= $3 AND NOT e.is_open
            AND (e.renewal_until IS NOT NULL OR e.past_due_until IS NOT NULL) AND {access_end} > $4)"),
        {scope_id, after, last.value_or(greatest_id), now, settings.renewal_leeway.count(),
            settings.past_due_is_active});
    return last;
}

void enqueue_reopening(pg::Tx& tx, core::TenantId tenant_id)
{
    for (auto const scope_id : core::scopes_of(tenant_id))
        jobs::enqueue(tx, reopening_queue, scope_id, core::Uuid());
}

} // namespace billing::lapses
