#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// The numbering plans of the world's countries. `scripts/numbering` writes the tables.
namespace sms::numbering {

/// The numbers that begin with `prefix` and have `shortest` to `longest` digits, which include the prefix.
struct CountryRange {
    std::string_view prefix;  ///< digits after the `+`
    std::string_view country; ///< as `PhoneNumber::country`
    std::uint8_t shortest = 1, longest = 15;
};

/// As CountryRange.
struct PremiumRange {
    std::string_view prefix;
    std::uint8_t shortest = 1, longest = 15;
};

// All are sorted by prefix. If the ranges of two prefixes contain a number, the longer prefix decides.

/// The assigned calling codes, each with its main country. No code is a prefix of another.
extern std::span<CountryRange const> const calling_codes;

/// The ranges of the other countries of a calling code.
extern std::span<CountryRange const> const shared_codes;

/// Premium-rate, shared-cost and personal numbers.
extern std::span<PremiumRange const> const premium;

} // namespace sms::numbering
