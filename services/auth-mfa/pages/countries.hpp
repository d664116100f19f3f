#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// The countries of the list beside the field for a phone number. `scripts/numbering/countries.mjs` writes
/// the tables.
namespace auth_mfa::pages {

struct Country {
    std::string_view code;         ///< as sms::PhoneNumber::country
    std::string_view calling_code; ///< digits after the `+`
    std::string_view trunk_prefix; ///< digits before a national number within the country; may be empty
    std::uint8_t shortest;         ///< the digits of its shortest mobile numbers, without the trunk prefix
};

/// All countries that sms::PhoneNumber::country returns, sorted by code.
std::span<Country const> countries();

struct CountryName {
    std::string_view country; ///< Country::code
    std::string_view name;
};

/// The names of all countries in a language of the pages (`de`), sorted as its readers expect. English for
/// other languages.
std::span<CountryName const> country_names(std::string_view language);

} // namespace auth_mfa::pages
