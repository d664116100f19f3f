#pragma once

#include "core/clock.hpp"
#include "core/fields.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Helpers that read both providers' events.
namespace billing::event_fields {

/// Maximum length of ids and of event types, in code points.
inline constexpr std::size_t max_id = 255;
inline constexpr std::size_t max_type = 100;

/// The text of an optional member. nullopt if the member is absent, empty or invalid; none of these is an
/// error.
std::optional<std::string> text_if_any(boost::json::value const& object, std::string_view name);

/// The value of an optional id. Empty if the member is absent, null or "".
std::string id_or_empty(core::Fields& f, std::string_view name);

/// These functions read a time that the provider states in whole milliseconds or seconds since 1970.
core::Time milliseconds(core::Fields& f, std::string_view name);
std::optional<core::Time> optional_milliseconds(core::Fields& f, std::string_view name);
core::Time seconds(core::Fields& f, std::string_view name);
std::optional<core::Time> optional_seconds(core::Fields& f, std::string_view name);

} // namespace billing::event_fields
