#include "storage/products.hpp"

#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"

#include <boost/json.hpp>

namespace billing::products {

namespace {

constexpr auto columns = pg::sql(R"(
    p.product_id, p.provider_product_id, p.name, p.kind, p.features, p.grants, p.version, p.created_at,
    p.updated_at)");

std::vector<Grant> read_grants(std::string_view column)
{
    std::vector<Grant> grants;
    auto const value = boost::json::parse(boost::json::string_view(column.data(), column.size()));
    for (auto const& item : value.as_array())
        grants.push_back(
            {std::string(item.at("name").as_string()), item.at("quantity").to_number<std::int64_t>()});
    return grants;
}

Product read(pg::RowReader& r)
{
    Product p;
    p.id = r.uuid();
    p.provider_product_id = r.text();
    p.name = r.text();
    p.kind = r.one_of<Kind>();
    p.features = r.texts();
    p.grants = read_grants(r.view());
    p.version = r.integer();
    p.created_at = r.time();
    p.updated_at = r.time();
    return p;
}

/// Reads the row that an insert or update returns. Throws CONFLICT if it returned no row, because then
/// another product has the `provider_product_id`.
Product read_written(pg::Rows const& result)
{
    auto written = pg::read_first(result, read);
    if (!written)
        throw core::Error(core::codes::conflict,
            "Another product has this `providerProductId`. Use another value, or change that product.");
    return *std::move(written);
}

} // namespace

std::string to_json(std::vector<Grant> const& grants)
{
    core::JsonWriter w;
    w.begin_array();
    for (auto const& grant : grants)
        w.begin_object().member("name", grant.name).member("quantity", grant.quantity).end_object();
    w.end_array();
    return std::move(w).str();
}

std::optional<Product> get(pg::Tx& tx, core::Scope const& scope, core::Uuid id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM products p
        WHERE p.tenant_id = $1 AND p.product_id = $2)"),
        {scope.tenant_id(), id});
    return pg::read_first(result, read);
}

std::optional<Product> find(pg::Tx& tx, core::TenantId tenant_id, std::string const& id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM (
            (
                SELECT 1 AS place, q.*
                FROM products q
                WHERE q.tenant_id = $1 AND q.product_id = $2
                LIMIT 1
            )
            UNION ALL (
                SELECT 2 AS place, q.*
                FROM products q
                WHERE q.tenant_id = $1 AND q.provider_product_id = $3
                LIMIT 1
            )
        ) AS p
        ORDER BY p.place
        LIMIT 1)"),
        {tenant_id, core::Uuid::parse(id), id});
    return pg::read_first(result, read);
}

std::optional<Product> lock(pg::Tx& tx, core::Scope const& scope, core::Uuid id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM products p
        WHERE p.tenant_id = $1 AND p.product_id = $2
        FOR UPDATE)"),
        {scope.tenant_id(), id});
    return pg::read_first(result, read);
}

std::vector<Product> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM products p
        WHERE p.tenant_id = $1 AND (p.created_at, p.product_id) < ($2::timestamptz, $3::uuid)
        ORDER BY p.created_at DESC, p.product_id DESC
        LIMIT $4::bigint)"),
        {scope.tenant_id(), paging::time_of(after), paging::id_of(after), limit});
    return pg::read_rows(result, read);
}

void insert(pg::Tx& tx, core::Scope const& scope, Product& p)
{
    // Products of a tenant commit in the order of `created_at`, so no list cursor can miss a product.
    pg::lock_scope(tx, scope.production().id);
    auto const result = tx.run(pg::sql<columns>(R"(
        INSERT INTO products AS p (
            tenant_id, product_id, provider_product_id, name, kind, features, grants, created_at,
            updated_at
        )
        SELECT $1::bigint, $2::uuid, $3::text, $4::text, $5::text, $6::text[], $7::jsonb, n.at, n.at
        FROM (SELECT clock_timestamp() AS at) AS n
        ON CONFLICT (tenant_id, provider_product_id) DO NOTHING
        RETURNING {columns})"),
        {scope.tenant_id(), p.id, p.provider_product_id, p.name, to_string(p.kind), p.features,
            to_json(p.grants)});
    p = read_written(result);
}

void update(pg::Tx& tx, core::Scope const& scope, Product& p)
{
    // While the lock is held, no other product of the tenant can get the same `provider_product_id`.
    pg::lock_scope(tx, scope.production().id);
    auto const result = tx.run(pg::sql<columns>(R"(
        UPDATE products p
        SET provider_product_id = $3, name = $4, kind = $5, features = $6::text[], grants = $7::jsonb,
            version = p.version + 1, updated_at = clock_timestamp()
        WHERE p.tenant_id = $1 AND p.product_id = $2
            AND NOT EXISTS (
                SELECT
                FROM products o
                WHERE o.tenant_id = $1 AND o.provider_product_id = $3 AND o.product_id <> $2
            )
        RETURNING {columns})"),
        {scope.tenant_id(), p.id, p.provider_product_id, p.name, to_string(p.kind), p.features,
            to_json(p.grants)});
    p = read_written(result);
}

void remove(pg::Tx& tx, core::Scope const& scope, core::Uuid id)
{
    tx.run("DELETE FROM products WHERE tenant_id = $1 AND product_id = $2", {scope.tenant_id(), id});
}

} // namespace billing::products
