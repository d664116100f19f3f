#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace core {

/// One array of several, in their order: for tables that are made of parts while compiling.
template <class T, std::size_t... sizes>
constexpr std::array<T, (sizes + ...)> joined(std::array<T, sizes> const&... parts)
{
    std::array<T, (sizes + ...)> whole{};
    auto end = whole.begin();
    ((end = std::ranges::copy(parts, end).out), ...);
    return whole;
}

} // namespace core
