#pragma once

#include "domain/entitlement.hpp"
#include "pg/param.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"

#include <span>
#include <vector>

/// Reading and writing rows of `entitlements`, for the statements of storage/.
namespace billing::entitlements {

/// The columns of row `e`, in the order of `read`.
inline constexpr auto columns = pg::sql(R"(
    e.entitlement_id, e.user_id, e.source, e.provider_product_id, e.alternative_product_id,
    e.transaction_id, e.status, e.purchased_at, e.expires_at, e.grace_until, e.will_renew, e.reason,
    e.last_event_type, e.last_event_at, e.last_rank, e.last_period_end, e.last_event_id,
    e.last_transaction_id, e.created_at, e.updated_at, e.revision)");

/// The same columns, for rows to write.
inline constexpr auto names = pg::sql(R"(
    entitlement_id, user_id, source, provider_product_id, alternative_product_id, transaction_id,
    status, purchased_at, expires_at, grace_until, will_renew, reason, last_event_type, last_event_at,
    last_rank, last_period_end, last_event_id, last_transaction_id, created_at, updated_at, revision)");

/// The same columns as arrays, `$1` to `$21`: the result of `params`.
inline constexpr auto arrays = pg::sql(R"(
    $1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::timestamptz[], $9::timestamptz[], $10::timestamptz[], $11::boolean[], $12::text[], $13::text[],
    $14::timestamptz[], $15::integer[], $16::timestamptz[], $17::text[], $18::text[],
    $19::timestamptz[], $20::timestamptz[], $21::bigint[])");

/// Begins a statement that writes rows `w` (the columns above and scope_id). `n.at` replaces
/// `set_by_database`. The caller appends `FROM`, a condition and `on_conflict_replace`.
inline constexpr auto insert_rows = pg::sql<names>(R"(
    INSERT INTO entitlements AS e (scope_id, {names})
    SELECT w.scope_id, w.entitlement_id, w.user_id, w.source, w.provider_product_id,
        w.alternative_product_id, w.transaction_id, w.status, w.purchased_at, w.expires_at,
        w.grace_until, w.will_renew, w.reason, w.last_event_type, w.last_event_at, w.last_rank,
        w.last_period_end, w.last_event_id, w.last_transaction_id,
        CASE WHEN w.created_at = 'infinity' THEN n.at ELSE w.created_at END,
        CASE WHEN w.updated_at = 'infinity' THEN n.at ELSE w.updated_at END, 1)");

inline constexpr auto on_conflict_replace = pg::sql(R"(
    ON CONFLICT (scope_id, entitlement_id)
        DO UPDATE SET provider_product_id = excluded.provider_product_id,
        alternative_product_id = excluded.alternative_product_id, status = excluded.status,
        purchased_at = excluded.purchased_at, expires_at = excluded.expires_at,
        grace_until = excluded.grace_until, will_renew = excluded.will_renew, reason = excluded.reason,
        last_event_type = excluded.last_event_type, last_event_at = excluded.last_event_at,
        last_rank = excluded.last_rank, last_period_end = excluded.last_period_end,
        last_event_id = excluded.last_event_id, last_transaction_id = excluded.last_transaction_id,
        created_at = excluded.created_at, updated_at = excluded.updated_at, revision = e.revision + 1)");

Entitlement read(pg::RowReader& r);

/// The values of the parameters in `arrays`.
std::vector<pg::Param> params(std::span<Entitlement const> rows);

} // namespace billing::entitlements
