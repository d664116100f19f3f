#include "storage/statistics.hpp"

#include "pg/row.hpp"

namespace billing::statistics {

namespace {

using std::chrono::sys_days;

std::int64_t number_of(sys_days day)
{
    return day.time_since_epoch().count();
}

Balance read_balance(pg::RowReader& r)
{
    Balance balance{.product = r.text()};
    balance.active = r.integer();
    balance.trials = r.integer();
    return balance;
}

DayChange read_change(pg::RowReader& r)
{
    DayChange change{.product = r.text()};
    change.date = sys_days(std::chrono::days(r.integer()));
    change.active = r.integer();
    change.trials = r.integer();
    change.started = r.integer();
    change.churned = r.integer();
    return change;
}

Revenue read_revenue(pg::RowReader& r)
{
    Revenue revenue{.currency = r.text()};
    revenue.amount = r.text();
    return revenue;
}

} // namespace

// Days are sent and received as numbers of days since 1970.

std::vector<Balance> balances_before(pg::Tx& tx, core::ScopeId scope_id, sys_days day)
{
    auto const result = tx.run(R"(
        WITH k AS MATERIALIZED (
            SELECT d.day, date_trunc('month', d.day)::date AS month
            FROM (SELECT date 'epoch' + $2::integer AS day) AS d
        ),
        parts AS (
            SELECT m.provider_product_id, m.active, m.trials
            FROM stats_months m
            WHERE m.scope_id = $1 AND m.month < (SELECT k.month FROM k)
            UNION ALL
            SELECT d.provider_product_id, d.active, d.trials
            FROM stats_days d
            WHERE d.scope_id = $1 AND d.date >= (SELECT k.month FROM k) AND d.date < (SELECT k.day FROM k)
        )
        SELECT p.provider_product_id, sum(p.active), sum(p.trials)
        FROM parts p
        GROUP BY p.provider_product_id
        HAVING sum(p.active) <> 0 OR sum(p.trials) <> 0)",
        {scope_id, number_of(day)});
    return pg::read_rows(result, read_balance);
}

std::vector<DayChange> changes_between(pg::Tx& tx, core::ScopeId scope_id, sys_days from, sys_days to)
{
    auto const result = tx.run(R"(
        SELECT d.provider_product_id, d.date - date 'epoch', d.active, d.trials, d.started, d.churned
        FROM stats_days d
        WHERE d.scope_id = $1 AND d.date >= date 'epoch' + $2::integer
            AND d.date <= date 'epoch' + $3::integer
        ORDER BY d.date)",
        {scope_id, number_of(from), number_of(to)});
    return pg::read_rows(result, read_change);
}

std::vector<Revenue> revenue(pg::Tx& tx, core::ScopeId scope_id)
{
    auto const result = tx.run(R"(
        SELECT r.currency, r.amount
        FROM stats_mrr r
        WHERE r.scope_id = $1 AND r.amount <> 0
        ORDER BY r.currency)",
        {scope_id});
    return pg::read_rows(result, read_revenue);
}

std::vector<std::optional<core::Uuid>> catalog_ids(
    pg::Tx& tx, core::Scope const& scope, std::span<std::string const> products)
{
    // The LATERALs and LIMITs make the planner look up an index once per product.
    auto const result = tx.run(R"(
        SELECT k.place, coalesce(own.product_id, other.product_id)
        FROM (SELECT $1::bigint AS tenant_id, $2::bigint AS scope_id) AS t
        CROSS JOIN unnest($3::text[]) WITH ORDINALITY AS k(product, place)
        LEFT JOIN LATERAL (
            SELECT p.product_id
            FROM products p
            WHERE p.tenant_id = t.tenant_id AND p.provider_product_id = k.product
            LIMIT 1
        ) AS own
            ON true
        LEFT JOIN LATERAL (
            SELECT e.alternative_product_id
            FROM entitlements e
            WHERE own.product_id IS NULL AND e.scope_id = t.scope_id AND e.provider_product_id = k.product
                AND e.user_id IS NOT NULL
            ORDER BY e.user_id
            LIMIT 1
        ) AS sample
            ON true
        LEFT JOIN LATERAL (
            SELECT p.product_id
            FROM products p
            WHERE p.tenant_id = t.tenant_id AND p.provider_product_id = sample.alternative_product_id
            LIMIT 1
        ) AS other
            ON true)",
        {scope.tenant_id(), scope.id, pg::column(products, [](std::string const& p) { return p; })});
    std::vector<std::optional<core::Uuid>> ids(products.size());
    for (auto const& row : result) {
        pg::RowReader r(row);
        auto& id = ids[static_cast<std::size_t>(r.integer() - 1)];
        id = r.optional_uuid();
    }
    return ids;
}

} // namespace billing::statistics
