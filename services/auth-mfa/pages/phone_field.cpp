#include "pages/phone_field.hpp"

#include "core/characters.hpp"
#include "core/text.hpp"
#include "pages/countries.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace auth_mfa::pages {

namespace {

/// The first digits of the decimal digits that phone numbers are written with, besides ASCII.
constexpr auto zeros = std::to_array<std::string_view>({
    "\u0660", // Arabic
    "\u06f0", // Persian
    "\uff10", // full-width
});

std::optional<char> digit_of(std::string_view character)
{
    if (character.size() == 1)
        return character[0] >= '0' && character[0] <= '9' ? std::optional(character[0]) : std::nullopt;
    for (auto const zero : zeros) {
        if (character.size() != zero.size() || !character.starts_with(zero.substr(0, zero.size() - 1)))
            continue;
        int const value =
            static_cast<unsigned char>(character.back()) - static_cast<unsigned char>(zero.back());
        if (value >= 0 && value <= 9) return static_cast<char>('0' + value);
    }
    return std::nullopt;
}

/// Whether the character may stand between digits: punctuation such as spaces, dashes and brackets, and marks
/// of the direction of text.
bool is_separator(core::Character const& character)
{
    constexpr std::string_view ascii = " \t()-./";
    if (character.text.size() == 1) return ascii.find(character.text) != std::string_view::npos;
    return character.kind == core::CharacterKind::other;
}

Country const* find_country(std::string_view code)
{
    auto const all = countries();
    auto const found = std::ranges::lower_bound(all, code, {}, &Country::code);
    return found == all.end() || found->code != code ? nullptr : &*found;
}

bool is_allowed(std::string_view country, std::span<std::string const> allowed)
{
    return allowed.empty() || std::ranges::find(allowed, country) != allowed.end();
}

/// The country of a language range such as `de-AT` or `zh-Hant-TW`; empty if it has none.
std::string_view region_of(std::string_view range)
{
    while (true) {
        auto const hyphen = range.find('-');
        if (hyphen == std::string_view::npos) return {};
        range.remove_prefix(hyphen + 1);
        auto const subtag = range.substr(0, range.find('-'));
        if (subtag.size() != 2) continue; // such as Hant
        auto const* const country = find_country(core::upper(subtag));
        return country == nullptr ? std::string_view() : country->code;
    }
}

std::string_view primary(std::string_view range)
{
    return range.substr(0, range.find('-'));
}

/// The country in the first range that has one and is for the same language as the first range of all.
/// Browsers send the ranges in the order of preference.
std::string_view region_of_header(std::string_view accept_language)
{
    std::optional<std::string_view> language;
    while (!accept_language.empty()) {
        auto const element = accept_language.substr(0, accept_language.find(','));
        accept_language.remove_prefix(std::min(accept_language.size(), element.size() + 1));
        auto const range = core::trim(element.substr(0, element.find(';')));
        if (!language) language = primary(range);
        if (!core::equal_ignoring_case(*language, primary(range))) continue;
        if (auto const region = region_of(range); !region.empty()) return region;
    }
    return {};
}

std::string_view main_country(std::string_view language)
{
    constexpr auto mains = std::to_array<std::pair<std::string_view, std::string_view>>(
        {{"de", "DE"}, {"fr", "FR"}, {"es", "ES"}, {"pt", "BR"}, {"ja", "JP"}, {"ar", "EG"}});
    auto const* const found =
        std::ranges::find(mains, language, &std::pair<std::string_view, std::string_view>::first);
    return found == mains.end() ? "US" : found->second;
}

} // namespace

std::string plain_digits(std::string_view text)
{
    std::string out;
    for (auto const& character : core::characters(text)) {
        if (auto const digit = digit_of(character.text))
            out += *digit;
        else if (out.empty() && character.text == "\uff0b") // full-width +
            out += '+';
        else if (!is_separator(character))
            out += character.text;
    }
    return out;
}

std::string phone_number(std::string_view country, std::string_view text)
{
    auto digits = plain_digits(text);
    if (digits.starts_with("00")) digits.replace(0, 2, "+");
    auto const* const from = find_country(country);
    if (digits.starts_with('+') || from == nullptr) {
        // As in +49 (0)151 23456789: the zero is for calls within the country.
        auto const optional_zero = text.find("(0)");
        if (optional_zero == std::string_view::npos) return digits;
        return plain_digits(std::string(text).replace(optional_zero, 3, ""));
    }
    auto const& trunk = from->trunk_prefix;
    if (!trunk.empty() && digits.starts_with(trunk) && digits.size() >= trunk.size() + from->shortest)
        digits.erase(0, trunk.size());
    return '+' + std::string(from->calling_code) + digits;
}

std::string_view likely_country(
    Language const& language, std::string_view accept_language, std::span<std::string const> allowed)
{
    auto country = region_of_header(accept_language);
    if (country.empty()) country = main_country(language.code());
    return is_allowed(country, allowed) ? country : std::string_view();
}

Data country_options(
    Language const& language, std::span<std::string const> allowed, std::string_view selected)
{
    Data options(Data::type::list);
    for (auto const& [code, name] : country_names(language.code())) {
        if (!is_allowed(code, allowed)) continue;
        Data option;
        option.set("code", std::string(code));
        option.set("name", std::string(name));
        option.set("calling_code", std::string(find_country(code)->calling_code));
        if (code == selected) option.set("selected", "true");
        options << option;
    }
    return options;
}

} // namespace auth_mfa::pages
