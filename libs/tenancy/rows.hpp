#pragma once

#include "pg/row.hpp"
#include "tenancy/tenant.hpp"

namespace tenancy {

/// The columns that `read_tenant` reads, for a SELECT list or RETURNING. Internal to this library.
#define TETRAD_TENANT_COLUMNS                                                                                \
    "tenant_id, slug, display_name, status = 'suspended', limits, created_at, updated_at, erase_after"

/// Reads TETRAD_TENANT_COLUMNS.
TenantRecord read_tenant(pg::RowReader& r);

/// Parses the text of a `jsonb` column that contains an object.
boost::json::object read_object(std::string_view json);

} // namespace tenancy
