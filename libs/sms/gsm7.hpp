#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// The default alphabet of text messages (3GPP TS 23.038, 6.2.1) with its extension table. One character
/// outside it makes a message UCS-2, which takes more than twice the segments.
namespace sms::gsm7 {

/// Septets that `utf8` takes (a character of the extension table takes two); `none` when one of its
/// characters is outside the alphabet.
std::size_t septets(std::string_view utf8) noexcept;

inline constexpr std::size_t none = static_cast<std::size_t>(-1);

/// Septets that a message of `count` segments holds: 160 in one, else 153 in each, if no character of the
/// extension table lies on a seam.
constexpr std::size_t capacity(std::size_t count) noexcept
{
    return count == 1 ? 160 : 153 * count;
}

/// `utf8` in the alphabet on one line: letters with marks the alphabet lacks lose them, Cyrillic and Greek
/// become Latin, typographic signs plain ones, control characters spaces; what has no counterpart is left
/// out, as is white space at the ends. May be empty.
std::string transliterate(std::string_view utf8);

/// The longest beginning of `text`, which fits the alphabet, that takes no more than `limit` septets.
std::string_view cut(std::string_view text, std::size_t limit) noexcept;

} // namespace sms::gsm7
