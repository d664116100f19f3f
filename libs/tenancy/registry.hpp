#pragma once

#include "core/clock.hpp"
#include "pg/database.hpp"
#include "tenancy/tenant.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The table of tenants. It holds nothing of a tenant's own, so no scope has to be seen. Writes announce
/// themselves to every Directory at commit.
namespace tenancy::registry {

/// What an operator says of a tenant; what is absent stays as it is (or begins as active, without limits).
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

/// Creates or changes a tenant. One that awaits erasure is revived: active, unless `suspended` says
/// otherwise.
Upserted upsert(pg::Tx& tx, Upsert const& wanted, core::Time now);

std::optional<TenantRecord> find(pg::Tx& tx, std::string_view slug);

/// Whether the tenant is there and suspended: read now, for what does not pass the request pipeline.
bool is_suspended(pg::Tx& tx, std::int64_t tenant_id);

/// Those of these tenants that are suspended, ascending.
std::vector<std::int64_t> suspended_among(pg::Tx& tx, std::vector<std::int64_t> const& tenant_ids);

/// At most `limit` tenants with an id below `before`, newest first.
std::vector<TenantRecord> newest(pg::Tx& tx, std::optional<std::int64_t> before, std::size_t limit);

/// Suspends a tenant and sets when it is to be erased, unless an earlier time is set already. nullopt: nobody
/// has that slug.
std::optional<TenantRecord> condemn(
    pg::Tx& tx, std::string_view slug, core::Time erase_after, core::Time now);

/// At most `limit` scope ids above `after`, ascending: for workers that walk all scopes.
std::vector<std::int64_t> scopes_after(pg::Tx& tx, std::int64_t after, std::size_t limit);

} // namespace tenancy::registry
