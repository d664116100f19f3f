#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace core {

/// `lower` and `upper` change ASCII letters only, in every locale, as protocols require.
constexpr char lower(char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string lower(std::string_view text)
{
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](char c) { return lower(c); });
    return out;
}

constexpr char upper(char c) noexcept
{
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

inline std::string upper(std::string_view text)
{
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](char c) { return upper(c); });
    return out;
}

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept
{
    return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

/// The text without leading and trailing spaces, tabs and line ends.
constexpr std::string_view trim(std::string_view text) noexcept
{
    constexpr std::string_view blank = " \t\r\n";
    auto const first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// `text` on one line, for the subject of an email or a line of its text: control characters, line separators
/// and characters that change the direction of text become spaces. If the text is not UTF-8, all bytes that
/// are not ASCII become question marks.
std::string one_line(std::string_view text);

/// The text in Unicode's Normalization Form C (UAX #15), in which `e` with a combining accent and the one
/// character `é` are the same. The result has at most as many code points as the canonical decomposition of
/// `utf8`. Bound the length of `utf8` first: the time grows with the square of the length of a sequence of
/// combining characters. Throws std::invalid_argument if `utf8` is not UTF-8.
std::string nfc(std::string_view utf8);

/// Percent-encodes all but the unreserved characters (RFC 3986, 2.3) and those in `keep`. So it encodes `/`,
/// and space as `%20`. Use it for a path segment and for names and values in a query or form.
std::string percent_encode(std::string_view text, char const* keep = "");

/// Decodes percent-encoding (RFC 3986, 2.1); nullopt if it is malformed. `plus_is_space` is for query strings
/// and forms.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);

/// Appends text escaped for HTML, for use between tags and in quoted attribute values.
inline void append_html_escaped(std::string& out, std::string_view text)
{
    for (char const c : text) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += c;
        }
    }
}

} // namespace core
