#pragma once

#include "domain/entitlement.hpp"
#include "pg/param.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"

#include <span>
#include <vector>

/// Reading and writing rows of `entitlements`, for the statements of storage/.
namespace billing::entitlements {

/// The columns of row `e` that responses show, in the order of `read`.
inline constexpr auto columns = pg::sql(R"(
    e.entitlement_id, e.user_id, e.source, e.provider_product_id, e.alternative_product_id,
    e.transaction_id, e.status, e.purchased_at, e.expires_at, e.grace_until, e.will_renew, e.reason,
    e.last_event_type, e.last_event_at, e.last_rank, e.last_period_end, e.last_event_id,
    e.last_transaction_id, e.created_at, e.updated_at, e.revision, e.access_until, e.renewal_until,
    e.leeway_ends_at, e.past_due_until, e.is_ended, e.is_past_due, e.period_type, e.trial_ends_at,
    e.store, e.quantity, e.price_amount, e.price_currency, e.monthly_amount, e.cancel_reason)");

/// All columns of row `e`, in the order of `read_all`.
inline constexpr auto all_columns = pg::sql<columns>("{columns}, e.lines");

/// The columns of rows to write.
inline constexpr auto names = pg::sql(R"(
    entitlement_id, user_id, source, provider_product_id, alternative_product_id, transaction_id,
    status, purchased_at, expires_at, grace_until, will_renew, reason, last_event_type, last_event_at,
    last_rank, last_period_end, last_event_id, last_transaction_id, created_at, updated_at, revision,
    access_until, renewal_until, leeway_ends_at, past_due_until, is_ended, is_past_due, period_type,
    trial_ends_at, store, quantity, price_amount, price_currency, monthly_amount, cancel_reason, lines,
    is_open)");

/// The same columns as arrays, `$1` to `$37`: the result of `params`.
inline constexpr auto arrays = pg::sql(R"(
    $1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::timestamptz[], $9::timestamptz[], $10::timestamptz[], $11::boolean[], $12::text[], $13::text[],
    $14::timestamptz[], $15::integer[], $16::timestamptz[], $17::text[], $18::text[],
    $19::timestamptz[], $20::timestamptz[], $21::bigint[], $22::timestamptz[], $23::timestamptz[],
    $24::timestamptz[], $25::timestamptz[], $26::boolean[], $27::boolean[], $28::text[],
    $29::timestamptz[], $30::text[], $31::bigint[], $32::bigint[], $33::text[], $34::bigint[],
    $35::text[], $36::text[], $37::boolean[])");

/// Begins a statement that writes rows `w` (the columns above and scope_id). `n.at` replaces
/// `set_by_database`. The caller appends `FROM`, a condition and `on_conflict_replace`.
inline constexpr auto insert_rows = pg::sql<names>(R"(
    INSERT INTO entitlements AS e (scope_id, {names}, access_revision)
    SELECT w.scope_id, w.entitlement_id, w.user_id, w.source, w.provider_product_id, w.alternative_product_id,
        w.transaction_id, w.status, w.purchased_at, w.expires_at, w.grace_until, w.will_renew, w.reason,
        w.last_event_type, w.last_event_at, w.last_rank, w.last_period_end, w.last_event_id,
        w.last_transaction_id, CASE WHEN w.created_at = 'infinity' THEN n.at ELSE w.created_at END,
        CASE WHEN w.updated_at = 'infinity' THEN n.at ELSE w.updated_at END, 1, w.access_until,
        w.renewal_until, w.leeway_ends_at, w.past_due_until, w.is_ended, w.is_past_due, w.period_type,
        w.trial_ends_at, w.store, w.quantity, w.price_amount, w.price_currency, w.monthly_amount,
        w.cancel_reason, w.lines::json, w.is_open, 1)");

inline constexpr auto on_conflict_replace = pg::sql(R"(
    ON CONFLICT (scope_id, entitlement_id)
        DO UPDATE SET provider_product_id = excluded.provider_product_id,
        alternative_product_id = excluded.alternative_product_id, status = excluded.status,
        purchased_at = excluded.purchased_at, expires_at = excluded.expires_at,
        grace_until = excluded.grace_until, will_renew = excluded.will_renew, reason = excluded.reason,
        last_event_type = excluded.last_event_type, last_event_at = excluded.last_event_at,
        last_rank = excluded.last_rank, last_period_end = excluded.last_period_end,
        last_event_id = excluded.last_event_id, last_transaction_id = excluded.last_transaction_id,
        created_at = excluded.created_at, updated_at = excluded.updated_at,
        access_until = excluded.access_until, renewal_until = excluded.renewal_until,
        leeway_ends_at = excluded.leeway_ends_at, past_due_until = excluded.past_due_until,
        is_ended = excluded.is_ended, is_past_due = excluded.is_past_due,
        period_type = excluded.period_type, trial_ends_at = excluded.trial_ends_at,
        store = excluded.store, quantity = excluded.quantity, price_amount = excluded.price_amount,
        price_currency = excluded.price_currency, monthly_amount = excluded.monthly_amount,
        cancel_reason = excluded.cancel_reason, lines = excluded.lines, is_open = excluded.is_open,
        revision = e.revision + 1, access_revision = e.revision + 1)");

/// The time at which access by row `e` ends (end_of(), domain/access.hpp); 'infinity': never; '-infinity': an
/// event has ended access. Row `k` has the tenant's settings: `leeway` in seconds, and `past_due_is_active`.
inline constexpr auto access_end = pg::sql(R"(greatest(
                CASE WHEN e.is_ended THEN '-infinity' ELSE e.access_until END,
                CASE
                    WHEN e.renewal_until IS NOT NULL AND NOT e.is_ended
                        THEN least(
                            e.renewal_until + k.leeway * interval '1 second', e.leeway_ends_at,
                            '9999-12-31 23:59:59.999+00'
                        )
                END,
                CASE WHEN k.past_due_is_active THEN e.past_due_until END
            ))");

Entitlement read(pg::RowReader& r); ///< without `lines`
Entitlement read_all(pg::RowReader& r);

/// An entitlement to write.
struct Row {
    Entitlement const* entitlement = nullptr;
    bool is_open = false; ///< whether it gives access now
};

/// The values of the parameters in `arrays`.
std::vector<pg::Param> params(std::span<Row const> rows);

} // namespace billing::entitlements
