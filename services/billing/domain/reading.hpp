#pragma once

#include "core/clock.hpp"
#include "core/fields.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What reading both providers' events has in common.
namespace billing::reading {

/// Ids, whoever gives them, have 1 to this many characters.
inline constexpr std::size_t max_id = 255;
inline constexpr std::size_t max_type = 100;

/// A member that nothing depends on: nullopt when it is absent or of another form, which is no fault.
std::optional<std::string> text_if_any(boost::json::value const& object, std::string_view name);

/// An optional id, empty when absent, null or "".
std::string id_or_empty(core::Fields& f, std::string_view name);

/// Moments in whole milliseconds or seconds since 1970.
core::Time milliseconds(core::Fields& f, std::string_view name);
std::optional<core::Time> optional_milliseconds(core::Fields& f, std::string_view name);
core::Time seconds(core::Fields& f, std::string_view name);
std::optional<core::Time> optional_seconds(core::Fields& f, std::string_view name);

} // namespace billing::reading
