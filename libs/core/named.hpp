#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace core {

/// The value that `names`, which are those of an enum in its order, call `name`. Throws std::invalid_argument
/// when none is: for names that come from the database or were validated.
template <class Enum> constexpr Enum named(std::span<std::string_view const> names, std::string_view name)
{
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<Enum>(i);
    throw std::invalid_argument("not a known value: " + std::string(name));
}

} // namespace core
