#pragma once

#include "core/scope.hpp"

#include <initializer_list>
#include <vector>

namespace testing {

/// The scopes with these numbers.
inline std::vector<core::ScopeId> scopes(std::initializer_list<std::int64_t> numbers)
{
    std::vector<core::ScopeId> ids;
    for (auto const number : numbers)
        ids.push_back(core::ScopeId{number});
    return ids;
}

/// The scopes from `first` to `last`, which is included, at intervals of `step`.
inline std::vector<core::ScopeId> scopes_between(std::int64_t first, std::int64_t last, std::int64_t step = 1)
{
    std::vector<core::ScopeId> ids;
    for (auto number = first; number <= last; number += step)
        ids.push_back(core::ScopeId{number});
    return ids;
}

} // namespace testing
