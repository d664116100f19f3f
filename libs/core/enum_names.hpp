#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace core {

/// An enum whose values have names in the API, in the settings or in the database. A function beside the enum
/// lists the names in the order of the enumerators, which count from 0:
///
///     enum class Status : std::uint8_t { open, in_progress };
///     constexpr auto enum_names(Status)
///     {
///         return std::to_array<std::string_view>({"open", "in-progress"});
///     }
///
/// With `using core::to_string;` in the enum's namespace, `to_string(status)` works everywhere.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E value) { enum_names(value); };

namespace detail {

/// Whether an enumerator has this value. Compilers write other values of an enum as a cast: `(Status)2`.
template <auto value> consteval bool is_enumerator()
{
    std::string_view const text = __PRETTY_FUNCTION__;
    char const next = text[text.rfind(')') + 1];
    return next < '0' || next > '9';
}

} // namespace detail

/// The names of an enum, in the order of its values.
template <NamedEnum E>
inline constexpr auto names_of = [] {
    constexpr auto names = enum_names(E{});
    static_assert(detail::is_enumerator<E(names.size() - 1)>() && !detail::is_enumerator<E(names.size())>(),
        "enum_names() must have one name per enumerator");
    return names;
}();

template <NamedEnum E> constexpr std::string_view to_string(E value) noexcept
{
    return names_of<E>[static_cast<std::size_t>(value)];
}

/// The inverse of `to_string`. Returns nullopt for any other text.
template <NamedEnum E> constexpr std::optional<E> parse_enum(std::string_view name) noexcept
{
    auto const found = std::ranges::find(names_of<E>, name);
    if (found == names_of<E>.end()) return std::nullopt;
    return static_cast<E>(found - names_of<E>.begin());
}

/// As `parse_enum`, for a name that the service itself has stored. Throws std::runtime_error for other text.
template <NamedEnum E> constexpr E stored_enum(std::string_view name)
{
    if (auto const value = parse_enum<E>(name)) return *value;
    throw std::runtime_error("not a known value: " + std::string(name));
}

} // namespace core
