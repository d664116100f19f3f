#include "tenancy/tenant_rows.hpp"

#include "core/error.hpp"
#include "pg/sql.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace tenancy {

boost::json::object read_object(std::string_view json)
{
    return boost::json::parse(json).as_object();
}

namespace tenant_rows {

namespace {

std::optional<std::string> to_json(std::optional<Limits> const& limits)
{
    if (!limits) return std::nullopt;
    boost::json::object object;
    for (auto const& [name, value] : limits->values())
        object[name] = std::visit([](auto v) { return boost::json::value(v); }, value);
    return boost::json::serialize(object);
}

std::optional<std::string_view> to_status(std::optional<bool> suspended)
{
    if (!suspended) return std::nullopt;
    return *suspended ? "suspended" : "active";
}

} // namespace

TenantRecord read(pg::RowReader& r)
{
    TenantRecord tenant;
    tenant.id = r.tenant_id();
    tenant.slug = r.text();
    tenant.display_name = r.text();
    tenant.suspended = r.boolean();
    tenant.limits = Limits::from_json(read_object(r.view()));
    tenant.created_at = r.time();
    tenant.updated_at = r.time();
    tenant.erase_after = r.optional_time();
    return tenant;
}

Upserted upsert(pg::Tx& tx, Upsert const& wanted, core::Time now)
{
    // The lock makes ids ascend in the order of commits, so that a page of the list cannot miss a tenant that
    // is being created.
    pg::lock_scope(tx, core::no_scope);
    auto const rows = tx.run(pg::sql<columns>(R"(
        INSERT INTO tenants (slug, display_name, status, limits, created_at, updated_at)
        VALUES ($1, $2, coalesce($3, 'active'), coalesce($4::jsonb, '{}'), $5, $5)
        ON CONFLICT (slug) DO UPDATE SET display_name = excluded.display_name,
            status = CASE WHEN $3 IS NOT NULL THEN $3
            WHEN tenants.erase_after IS NOT NULL THEN 'active' ELSE tenants.status END,
            limits = coalesce($4::jsonb, tenants.limits), updated_at = $5, erase_after = NULL
        WHERE tenants.erasure_began_at IS NULL
        RETURNING {columns}, xmax = 0)"),
        {wanted.slug, wanted.display_name, to_status(wanted.suspended), to_json(wanted.limits), now});
    if (rows.empty())
        throw core::Error(core::codes::conflict,
            "The tenant is being erased. Repeat the request when its erasure is complete.");
    pg::RowReader r(rows[0]);
    return {read(r), r.boolean()};
}

std::optional<TenantRecord> find(pg::Tx& tx, std::string_view slug)
{
    return pg::read_first(tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM tenants
        WHERE slug = $1)"),
                              {slug}),
        read);
}

bool is_suspended(pg::Tx& tx, core::TenantId tenant_id)
{
    auto const rows =
        tx.run("SELECT FROM tenants WHERE tenant_id = $1 AND status = 'suspended'", {tenant_id});
    return !rows.empty();
}

std::vector<core::TenantId> suspended_among(pg::Tx& tx, std::vector<core::TenantId> const& tenant_ids)
{
    auto const rows = tx.run(R"(
        SELECT tenant_id FROM tenants WHERE tenant_id = ANY ($1::bigint[]) AND status = 'suspended' ORDER BY tenant_id)",
        {tenant_ids});
    return pg::read_rows(rows, &pg::RowReader::tenant_id);
}

std::vector<TenantRecord> list(pg::Tx& tx, core::TenantId below, std::size_t limit)
{
    auto const rows = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM tenants
        WHERE tenant_id < $1
        ORDER BY tenant_id DESC
        LIMIT $2)"),
        {below, limit});
    return pg::read_rows(rows, read);
}

std::optional<TenantRecord> schedule_erasure(
    pg::Tx& tx, std::string_view slug, core::Time erase_after, core::Time now)
{
    auto const rows = tx.run(pg::sql<columns>(R"(
        UPDATE tenants
        SET status = 'suspended', erase_after = least(erase_after, $2), updated_at = $3
        WHERE slug = $1
        RETURNING {columns})"),
        {slug, erase_after, now});
    return pg::read_first(rows, read);
}

std::vector<core::ScopeId> scopes_after(pg::Tx& tx, core::ScopeId after, std::size_t limit)
{
    auto const rows = tx.run(R"(
        SELECT t.tenant_id * 2 + e
        FROM tenants t
        CROSS JOIN generate_series(0, 1) AS e
        WHERE t.tenant_id >= $1 / 2 AND t.tenant_id * 2 + e > $1
        ORDER BY t.tenant_id, e
        LIMIT $2)",
        {after, limit});
    return pg::read_rows(rows, &pg::RowReader::scope_id);
}

} // namespace tenant_rows

} // namespace tenancy
