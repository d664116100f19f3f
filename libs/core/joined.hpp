#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace core {

/// Concatenates arrays, for tables that are built from parts at compile time.
template <class T, std::size_t... sizes>
constexpr std::array<T, (sizes + ...)> joined(std::array<T, sizes> const&... parts)
{
    std::array<T, (sizes + ...)> whole{};
    auto end = whole.begin();
    ((end = std::ranges::copy(parts, end).out), ...);
    return whole;
}

} // namespace core
