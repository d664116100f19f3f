#include "storage/entitlements.hpp"

#include "pg/sql.hpp"
#include "pg/uuids.hpp"
#include "storage/entitlement_rows.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace billing::entitlements {

namespace {

constexpr auto catalog_columns = pg::sql("p.product_id, p.features, p.grants::text");

/// Joins row `e` with its product `p` in the catalog of tenant `k.tenant_id`: the product with the id
/// `e.provider_product_id`, or else with `e.alternative_product_id`. The LIMITs and LATERALs make the planner
/// look up an index once per row. `k.tenant_id` is a value, not an expression of `e.scope_id`: under
/// row-level security a division, which may fail, cannot be an index condition.
constexpr auto join_product = pg::sql(R"(
    LEFT JOIN LATERAL (
        SELECT q.product_id, q.features, q.grants
        FROM products q
        WHERE q.tenant_id = k.tenant_id AND q.provider_product_id = e.provider_product_id
        LIMIT 1
    ) AS own
        ON true
    LEFT JOIN LATERAL (
        SELECT q.product_id, q.features, q.grants
        FROM products q
        WHERE own.product_id IS NULL AND q.tenant_id = k.tenant_id
            AND q.provider_product_id = e.alternative_product_id
        LIMIT 1
    ) AS other
        ON true
    CROSS JOIN LATERAL (
        SELECT coalesce(own.product_id, other.product_id) AS product_id,
            CASE WHEN own.product_id IS NULL THEN other.features ELSE own.features END AS features,
            CASE WHEN own.product_id IS NULL THEN other.grants ELSE own.grants END AS grants
    ) AS p)");

std::optional<CatalogProduct> read_product(pg::RowReader& r)
{
    auto const id = r.optional_uuid();
    if (!id) return std::nullopt;
    CatalogProduct product{.id = *id};
    product.features = r.texts();
    product.grants_json = r.text();
    return product;
}

std::vector<Entitlement> by_id(std::vector<Entitlement> entitlements)
{
    std::ranges::sort(entitlements, {}, &Entitlement::id);
    return entitlements;
}

EntitlementView read_view(pg::RowReader& r)
{
    EntitlementView view{.entitlement = read(r)};
    view.product = read_product(r);
    return view;
}

/// The statement for all entitlements of users. It reads at most $4 rows per user, or all rows if $4 is NULL.
constexpr auto select_views = pg::sql<columns, catalog_columns, join_product>(R"(
    SELECT k.place, {columns}, {catalog_columns}
    FROM unnest($1::bigint[], $2::text[], $3::bigint[]) WITH ORDINALITY AS k(
        scope_id, user_id, tenant_id, place
    )
    CROSS JOIN LATERAL (
        SELECT *
        FROM entitlements x
        WHERE x.scope_id = k.scope_id AND x.user_id = k.user_id
        LIMIT $4::bigint
    ) AS e
    {join_product})");

std::vector<pg::Param> view_params(std::span<UserKey const> users, pg::Param limit)
{
    return {pg::column(users, [](UserKey const& k) { return k.scope_id; }),
        pg::column(users, [](UserKey const& k) { return std::string_view(k.user_id.text()); }),
        pg::column(users, [](UserKey const& k) { return core::tenant_of(k.scope_id); }), std::move(limit)};
}

/// The entitlements of each user, newest first.
std::vector<std::vector<EntitlementView>> views_by_user(pg::Rows const& result, std::size_t users)
{
    std::vector<std::vector<EntitlementView>> lists(users);
    for (auto const row : result) {
        pg::RowReader r(row);
        auto& list = lists[static_cast<std::size_t>(r.integer() - 1)];
        list.push_back(read_view(r));
    }
    auto const newer = [](EntitlementView const& a, EntitlementView const& b) {
        return std::tie(a.entitlement.created_at, a.entitlement.id) >
               std::tie(b.entitlement.created_at, b.entitlement.id);
    };
    for (auto& list : lists)
        std::ranges::sort(list, newer);
    return lists;
}

/// The statement for feature queries. It computes the end of access as end_of() does. It reads at most $6
/// rows per user, or all rows if $6 is NULL. If it reads $6 rows of a user, the user's result is marked as
/// crowded.
constexpr auto select_features = pg::sql<join_product, access_end>(R"(
    SELECT k.place, f.is_crowded, f.granted, f.until
    FROM unnest(
        $1::bigint[], $2::text[], $3::text[], $4::timestamptz[], $5::bigint[], $7::bigint[], $8::boolean[]
    ) WITH ORDINALITY AS k(scope_id, user_id, feature, now, tenant_id, leeway, past_due_is_active, place)
    CROSS JOIN LATERAL (
        SELECT coalesce(count(*) = $6, false) AS is_crowded,
            coalesce(bool_or(a.grants), false) AS granted,
            max(a.ends) FILTER (WHERE a.grants) AS until
        FROM (
            SELECT *
            FROM entitlements x
            WHERE x.scope_id = k.scope_id AND x.user_id = k.user_id
            LIMIT $6::bigint
        ) AS e {join_product}
        CROSS JOIN LATERAL (
            SELECT {access_end} AS ends
        ) AS t
        CROSS JOIN LATERAL (
            SELECT t.ends, t.ends > k.now AND k.feature = ANY (p.features) AS grants
        ) AS a
    ) AS f)");

std::vector<pg::Param> feature_params(std::span<FeatureQuery const> queries, pg::Param limit)
{
    return {pg::column(queries, [](FeatureQuery const& q) { return q.scope_id; }),
        pg::column(queries, [](FeatureQuery const& q) { return std::string_view(q.user_id.text()); }),
        pg::column(queries, [](FeatureQuery const& q) { return std::string_view(q.feature); }),
        pg::column(queries, [](FeatureQuery const& q) { return q.now; }),
        pg::column(queries, [](FeatureQuery const& q) { return core::tenant_of(q.scope_id); }),
        std::move(limit),
        pg::column(queries, [](FeatureQuery const& q) { return q.settings.renewal_leeway.count(); }),
        pg::column(queries, [](FeatureQuery const& q) { return q.settings.past_due_is_active; })};
}

/// Reads the columns after `place`.
std::optional<FeatureAccess> read_feature(pg::RowReader& r)
{
    bool const is_crowded = r.boolean();
    FeatureAccess feature{.granted = r.boolean(), .until = r.optional_time()};
    if (feature.until == core::Time::max()) feature.until.reset();
    return is_crowded ? std::nullopt : std::optional(feature);
}

} // namespace

pg::Batch<std::optional<std::vector<EntitlementView>>> of_user_batch(
    pg::BatchConnection& connection, std::span<UserKey const> users)
{
    auto const params = view_params(users, max_in_batch + 1);
    auto const result = co_await connection.run(pg::scopes_of(users), select_views, params);
    std::vector<std::optional<std::vector<EntitlementView>>> lists;
    for (auto& list : views_by_user(result, users.size())) {
        bool const is_crowded = list.size() > max_in_batch;
        lists.push_back(is_crowded ? std::nullopt : std::optional(std::move(list)));
    }
    co_return lists;
}

pg::Batch<std::optional<FeatureAccess>> features_batch(
    pg::BatchConnection& connection, std::span<FeatureQuery const> queries)
{
    auto const params = feature_params(queries, max_in_batch + 1);
    auto const result = co_await connection.run(pg::scopes_of(queries), select_features, params);
    std::vector<std::optional<FeatureAccess>> answers(queries.size());
    for (auto const row : result) {
        pg::RowReader r(row);
        auto& answer = answers[static_cast<std::size_t>(r.integer() - 1)];
        answer = read_feature(r);
    }
    co_return answers;
}

FeatureAccess feature(pg::Tx& tx, FeatureQuery const& query)
{
    auto const params = feature_params(std::span(&query, 1), nullptr);
    pg::RowReader r(tx.run(select_features, params)[0]);
    r.skip();
    return read_feature(r).value();
}

std::vector<EntitlementView> of_user(pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id)
{
    UserKey const user{scope.id, user_id};
    auto const result = tx.run(select_views, view_params(std::span(&user, 1), nullptr));
    return std::move(views_by_user(result, 1).front());
}

paging::Page<Entitlement> list_of_user(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id,
    Origin origin, paging::PageRequest const& asked)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM entitlements e
        WHERE e.scope_id = $1 AND e.user_id = $2 AND (e.source = 'manual') = $3
            AND (e.created_at, e.entitlement_id) < ($4::timestamptz, $5::uuid)
        ORDER BY e.created_at DESC, e.entitlement_id DESC
        LIMIT $6::bigint)"),
        {scope_id, user_id, origin == Origin::granted, paging::time_of(asked.after),
            paging::id_of(asked.after), asked.rows()});
    return asked.page(pg::read_rows(result, read));
}

std::vector<Entitlement> of_source(
    pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id, Source source)
{
    auto const result = tx.run(pg::sql<all_columns>(R"(
        SELECT {all_columns}
        FROM entitlements e
        WHERE e.scope_id = $1 AND e.user_id = $2 AND e.source = $3)"),
        {scope_id, user_id, to_string(source)});
    return by_id(pg::read_rows(result, read_all));
}

std::vector<Entitlement> subscribed(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id)
{
    auto const result = tx.run(pg::sql<all_columns>(R"(
        SELECT {all_columns}
        FROM entitlements e
        WHERE e.scope_id = $1 AND e.user_id = $2 AND e.source = 'payments' AND e.transaction_id = '')"),
        {scope_id, user_id});
    return by_id(pg::read_rows(result, read_all));
}

std::optional<Entitlement> get(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, core::Uuid entitlement_id)
{
    auto const result = tx.run(pg::sql<all_columns>(R"(
        SELECT {all_columns}
        FROM entitlements e
        WHERE e.scope_id = $1 AND e.entitlement_id = $2 AND e.user_id = $3)"),
        {scope.id, entitlement_id, user_id});
    return pg::read_first(result, read_all);
}

std::vector<EntitlementView> join_catalog(
    pg::Tx& tx, core::Scope const& scope, std::vector<Entitlement> entitlements)
{
    auto const id = [](Entitlement const& e) { return std::string_view(e.provider_product_id); };
    auto const alternative = [](Entitlement const& e) { return std::string_view(e.alternative_product_id); };
    static constexpr auto sql = pg::sql<catalog_columns, join_product>(R"(
        SELECT e.place, {catalog_columns}
        FROM (SELECT $1::bigint AS tenant_id) AS k
        CROSS JOIN unnest($2::text[], $3::text[]) WITH ORDINALITY AS e(
            provider_product_id, alternative_product_id, place
        )
        {join_product})");
    auto const result =
        tx.run(sql, {scope.tenant_id(), pg::column(entitlements, id), pg::column(entitlements, alternative)});
    std::vector<EntitlementView> views;
    views.reserve(entitlements.size());
    for (auto& entitlement : entitlements)
        views.push_back({.entitlement = std::move(entitlement), .product = {}});
    for (auto const& row : result) {
        pg::RowReader r(row);
        auto& view = views[static_cast<std::size_t>(r.integer() - 1)];
        view.product = read_product(r);
    }
    return views;
}

std::vector<Entitlement> by_ids(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids)
{
    auto const result = tx.run(pg::sql<all_columns>(R"(
        SELECT {all_columns}
        FROM (SELECT DISTINCT u.id FROM unnest($2::uuid[]) AS u(id)) AS k
        CROSS JOIN LATERAL (
            SELECT *
            FROM entitlements x
            WHERE x.scope_id = $1 AND x.entitlement_id = k.id
            LIMIT 1
        ) AS e)"),
        {scope_id, pg::uuids(ids)});
    return by_id(pg::read_rows(result, read_all));
}

void upsert(pg::Tx& tx, core::ScopeId scope_id, Entitlement& entitlement, bool is_open)
{
    Row const row{&entitlement, is_open};
    auto values = params(std::span(&row, 1));
    values.emplace_back(scope_id);
    auto const result = tx.run(pg::sql<arrays, names, insert_rows, on_conflict_replace>(R"(
        WITH n AS MATERIALIZED (SELECT clock_timestamp() AS at),
        w AS (SELECT $38::bigint AS scope_id, u.* FROM unnest({arrays}) AS u({names}))
        {insert_rows}
        FROM w, n
        WHERE true
        {on_conflict_replace}
        RETURNING e.created_at, e.updated_at, e.revision)"),
        values);
    pg::RowReader r(result[0]);
    entitlement.created_at = r.time();
    entitlement.updated_at = r.time();
    entitlement.revision = r.integer();
}

void remove(pg::Tx& tx, core::ScopeId scope_id, core::Uuid entitlement_id)
{
    tx.run(
        "DELETE FROM entitlements WHERE scope_id = $1 AND entitlement_id = $2", {scope_id, entitlement_id});
}

} // namespace billing::entitlements
