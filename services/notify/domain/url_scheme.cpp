#include "domain/url_scheme.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>

namespace notify {

namespace {

constexpr std::array<std::string_view, 4> permitted_schemes{"http", "https", "mailto", "tel"};
constexpr std::size_t longest_scheme = 6;
constexpr std::string_view blanks = " \t\n\f\r";

} // namespace

void UrlScheme::read(std::string_view text, bool literal)
{
    for (auto it = text.begin(); it != text.end() && is_open(); ++it)
        state_ = after(*it, literal);
}

UrlScheme::State UrlScheme::after(char c, bool literal)
{
    switch (c) {
    case ':':
        return std::ranges::find(permitted_schemes, scheme_) != permitted_schemes.end() ? State::permitted
                                                                                        : State::refused;
    case '/':
    case '?':
    case '#':
        return State::permitted;
    case '\\':
        return State::refused;
    case '&':
        if (literal) return State::refused;
        break;
    default:
        break;
    }
    bool const leading = scheme_.empty() && blanks.find(c) != std::string_view::npos;
    if (!leading && scheme_.size() <= longest_scheme) scheme_ += core::lower(c);
    return State::open;
}

} // namespace notify
