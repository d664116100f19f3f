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

inline bool fits(std::string_view utf8) noexcept
{
    return septets(utf8) != none;
}

/// Messages it is sent as: 160 septets in one, else 153 in each. `utf8` fits the alphabet.
std::size_t segments(std::string_view utf8) noexcept;

inline constexpr std::size_t segment_septets = 153; ///< of a message of several

/// Septets that `count` segments hold, if no character of the extension table lies on a seam.
constexpr std::size_t capacity(std::size_t count) noexcept
{
    return count == 1 ? 160 : segment_septets * count;
}

/// `utf8` in the alphabet on one line: letters with marks the alphabet lacks lose them, Cyrillic and Greek
/// become Latin, typographic signs plain ones, control characters spaces; what has no counterpart is left
/// out, as is white space at the ends. May be empty.
std::string transliterate(std::string_view utf8);

/// The longest beginning of `text`, which fits the alphabet, that takes no more than `limit` septets.
std::string_view cut(std::string_view text, std::size_t limit) noexcept;

} // namespace sms::gsm7
