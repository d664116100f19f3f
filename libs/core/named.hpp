#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace core {

/// Converts a name to its enum value. `names` lists the names in the order of the values. Throws
/// std::invalid_argument for an unknown name, so use it only for names from the database and for validated
/// names.
template <class Enum> constexpr Enum named(std::span<std::string_view const> names, std::string_view name)
{
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<Enum>(i);
    throw std::invalid_argument("not a known value: " + std::string(name));
}

} // namespace core
