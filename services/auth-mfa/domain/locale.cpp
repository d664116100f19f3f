#include "domain/locale.hpp"

#include "core/text.hpp"

#include <algorithm>

namespace auth_mfa {

namespace {

/// The quality of a language range in thousandths; 0 if `parameter`, the text after `;`, is malformed.
int quality_of(std::string_view parameter)
{
    parameter = core::trim(parameter);
    if (parameter.size() < 3 || parameter.size() > 7 || core::lower(parameter[0]) != 'q' ||
        parameter[1] != '=')
        return 0;
    parameter.remove_prefix(2);
    if (parameter.size() > 1 && parameter[1] != '.') return 0;
    int quality = 0;
    for (std::size_t i = 0; i < 5; ++i) {
        if (i == 1) continue; // the dot
        char const digit = i < parameter.size() ? parameter[i] : '0';
        if (digit < '0' || digit > '9') return 0;
        quality = quality * 10 + (digit - '0');
    }
    return quality <= 1000 ? quality : 0;
}

/// Subtags of 1 to 8 ASCII letters and digits, joined with hyphens.
bool is_language_tag(std::string_view tag)
{
    std::size_t length = 0; // of the subtag so far
    for (char const c : tag) {
        bool const letter = core::lower(c) >= 'a' && core::lower(c) <= 'z';
        if (letter || (c >= '0' && c <= '9'))
            ++length;
        else if (c == '-' && length > 0)
            length = 0;
        else
            return false;
        if (length > 8) return false;
    }
    return length > 0;
}

} // namespace

std::optional<std::string_view> find_locale(
    std::span<std::string_view const> supported, std::string_view range)
{
    if (!is_language_tag(range)) return std::nullopt;
    auto const primary = range.substr(0, range.find('-'));
    auto const found = std::ranges::find_if(
        supported, [&](std::string_view locale) { return core::equal_ignoring_case(locale, primary); });
    return found == supported.end() ? std::nullopt : std::optional(*found);
}

std::string_view choose_locale(std::span<std::string_view const> supported, std::string_view accept_language)
{
    std::string_view best = supported.front();
    int best_quality = 0;
    while (!accept_language.empty()) {
        auto const element = accept_language.substr(0, accept_language.find(','));
        accept_language.remove_prefix(std::min(accept_language.size(), element.size() + 1));
        auto const range = element.substr(0, element.find(';'));
        int const quality =
            range.size() == element.size() ? 1000 : quality_of(element.substr(range.size() + 1));
        if (quality <= best_quality) continue;
        if (auto const locale = find_locale(supported, core::trim(range))) {
            best = *locale;
            best_quality = quality;
        }
    }
    return best;
}

} // namespace auth_mfa
