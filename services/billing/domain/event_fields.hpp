#pragma once

#include "core/clock.hpp"
#include "core/fields.hpp"
#include "domain/price.hpp"

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

/// The greatest count that `count_if_any` reads.
inline constexpr std::int64_t max_count = 1'000'000'000;

/// As `text_if_any`, for a number, and for an integer from 1 to `max_count`.
std::optional<double> number_if_any(boost::json::value const& object, std::string_view name);
std::optional<std::int64_t> count_if_any(boost::json::value const& object, std::string_view name);

/// As `text_if_any`, for a time in milliseconds since 1970.
std::optional<core::Time> milliseconds_if_any(boost::json::value const& object, std::string_view name);

/// The price of one unit, from an amount in the currency's main unit. nullopt if the currency is not a code
/// of three letters, or the amount is out of range.
std::optional<Price> price(double amount, std::string_view currency);

/// As the other function, from an amount in minor units.
std::optional<Price> price_in_minor_units(std::int64_t amount, std::string_view currency);

/// The value of an optional id. Empty if the member is absent, null or "".
std::string id_or_empty(core::Fields& f, std::string_view name);

/// These functions read a time that the provider states in whole milliseconds or seconds since 1970.
core::Time milliseconds(core::Fields& f, std::string_view name);
std::optional<core::Time> optional_milliseconds(core::Fields& f, std::string_view name);
core::Time seconds(core::Fields& f, std::string_view name);
std::optional<core::Time> optional_seconds(core::Fields& f, std::string_view name);

} // namespace billing::event_fields
