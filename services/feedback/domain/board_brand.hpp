#pragma once

#include "core/scope.hpp"
#include "tenancy/tenant.hpp"

#include <string>

namespace feedback {

/// How the pages of a board look, by the settings of its environment.
struct BoardBrand {
    std::string name;  ///< the setting `boardName`, or the tenant's display name if it is not set
    std::string color; ///< the setting `boardColor`, such as `#1d4ed8`; empty if it is not set
    std::string logo;  ///< 16 hexadecimal digits that change with the logo; empty if there is none

    static BoardBrand of(tenancy::Tenant const& tenant, core::Environment environment);
};

} // namespace feedback
