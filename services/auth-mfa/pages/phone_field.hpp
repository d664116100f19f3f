#pragma once

#include "pages/language.hpp"
#include "pages/view.hpp"

#include <span>
#include <string>
#include <string_view>

/// The fields `country` and `phone`, in which a user enters a phone number.
namespace auth_mfa::pages {

/// `text` with its digits in ASCII, without the spaces, dashes and other punctuation between them. Digits may
/// be Arabic or full-width ones. Letters stay. `text` must be UTF-8.
std::string plain_digits(std::string_view text);

/// The E.164 form of the phone number that a user entered. Text that begins with `+` or `00` is a whole
/// number; other text is a national number of `country`, with or without its trunk prefix. Digits may be
/// Arabic or full-width ones. Spaces, dashes, brackets and invisible characters are skipped. Other characters
/// stay in the result, so that sms::PhoneNumber::parse refuses it. `text` must be UTF-8.
std::string phone_number(std::string_view country, std::string_view text);

/// The country that the list shows first: the region that the header `Accept-Language` gives to the user's
/// first language (`de-AT`), else the main country of the page's language. `allowed` as in the setting
/// `smsCountries`; if it does not have this country: empty.
std::string_view likely_country(
    Language const& language, std::string_view accept_language, std::span<std::string const> allowed);

/// The countries of the list, as values `code`, `name`, `calling_code` and `selected` of a template. An empty
/// list `allowed` allows all countries.
Data country_options(
    Language const& language, std::span<std::string const> allowed, std::string_view selected);

} // namespace auth_mfa::pages
