#pragma once

#include "pg/database.hpp"

#include <cstdint>
#include <vector>

namespace billing {

/// Both scopes of a tenant, production first. For transactions that read settings, or write both
/// environments.
inline pg::Scopes tenant_scopes(std::int64_t tenant_id)
{
    return pg::Scopes(std::vector{tenant_id * 2, tenant_id * 2 + 1});
}

} // namespace billing
