#pragma once

#include "tenancy/tenant.hpp"

#include <pqxx/result>

namespace tenancy {

/// The columns `read_tenant` reads, for a SELECT list or RETURNING. For the files of this library.
#define TETRAD_TENANT_COLUMNS                                                                                \
    "tenant_id, slug, display_name, status = 'suspended', limits, created_at, updated_at, erase_after"

/// A row that begins with TETRAD_TENANT_COLUMNS.
TenantRecord read_tenant(pqxx::row const& row);

/// How many columns those are.
inline constexpr unsigned tenant_columns = 8;

/// A `jsonb` column that holds an object.
boost::json::object read_object(std::string_view json);

} // namespace tenancy
