#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "pg/tx.hpp"
#include "tenancy/tenant.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenancy {

/// The columns that `read` reads, for a SELECT list or RETURNING. Internal to this library.
inline constexpr auto columns = pg::sql(R"(
    tenant_id, slug, display_name, status = 'suspended', limits, created_at, updated_at, erase_after)");

/// Parses the text of a `jsonb` column that contains an object. Internal to this library.
boost::json::object read_object(std::string_view json);

/// The SQL of the table `tenants`. The transactions need no scopes (pg::Scopes), because the table has no
/// row-level security. Each write is announced to every Directory at commit.
namespace tenant_rows {

/// Reads `columns`.
TenantRecord read(pg::RowReader& r);

/// The operator's values for a tenant. Absent values stay unchanged. A new tenant is active and has no limits
/// unless they are set.
struct Upsert {
    std::string slug;
    std::string display_name;
    std::optional<bool> suspended;
    std::optional<Limits> limits;
};

struct Upserted {
    TenantRecord tenant;
    bool created = false;
};

/// Creates or changes a tenant. If its erasure is planned but has not begun, the erasure is cancelled and the
/// tenant becomes active (or suspended, if `wanted.suspended` is true). Throws CONFLICT if the erasure has
/// begun.
Upserted upsert(pg::Tx& tx, Upsert const& wanted, core::Time now);

std::optional<TenantRecord> find(pg::Tx& tx, std::string_view slug);

/// Whether the tenant exists and is suspended. For code that acts for a tenant without the gateway's check.
bool is_suspended(pg::Tx& tx, core::TenantId tenant_id);

/// Returns the ids among `tenant_ids` whose tenants are suspended, in ascending order.
std::vector<core::TenantId> suspended_among(pg::Tx& tx, std::vector<core::TenantId> const& tenant_ids);

/// At most `limit` tenants whose id is less than `below`, newest first.
std::vector<TenantRecord> list(pg::Tx& tx, core::TenantId below, std::size_t limit);

/// Suspends a tenant and plans its erasure for `erase_after`. If an earlier time is set already, that time
/// stays. Returns nullopt if the slug is unknown.
std::optional<TenantRecord> schedule_erasure(
    pg::Tx& tx, std::string_view slug, core::Time erase_after, core::Time now);

/// At most `limit` scope ids above `after`, ascending. For workers that process all scopes.
std::vector<core::ScopeId> scopes_after(pg::Tx& tx, core::ScopeId after, std::size_t limit);

} // namespace tenant_rows

} // namespace tenancy
