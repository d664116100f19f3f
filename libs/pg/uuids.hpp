#pragma once

#include "core/id.hpp"
#include "pg/param.hpp"

#include <span>

namespace pg {

/// One array parameter with these ids, for `= ANY ($2::uuid[])`.
inline Param uuids(std::span<core::Uuid const> ids)
{
    return column(ids, [](core::Uuid const& id) { return id; });
}

} // namespace pg
