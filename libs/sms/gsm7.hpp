#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// The default alphabet of text messages (3GPP TS 23.038, 6.2.1) with its extension table. A single character
/// outside the alphabet makes the provider send the message as UCS-2, which takes more than twice as many
/// segments.
namespace sms::gsm7 {

/// Returns the number of septets that `utf8` takes. A character of the extension table takes two. Returns
/// `none` if a character is outside the alphabet.
std::size_t septets(std::string_view utf8) noexcept;

inline constexpr std::size_t none = static_cast<std::size_t>(-1);

/// The number of septets that a message of `count` segments holds: 160 in one segment, otherwise 153 in each.
/// This assumes that no character of the extension table lies on a segment boundary.
constexpr std::size_t capacity(std::size_t count) noexcept
{
    return count == 1 ? 160 : 153 * count;
}

/// Transliterates `utf8` to the alphabet and to one line. Letters lose marks that the alphabet does not have.
/// Cyrillic and Greek letters become Latin ones, typographic signs become plain ones, and control characters,
/// including line breaks, become spaces. Characters without a counterpart and white space at the ends are
/// removed. The result may be empty.
std::string transliterate(std::string_view utf8);

/// Returns the longest prefix of `text` that takes at most `limit` septets. `text` must be in the alphabet.
std::string_view cut(std::string_view text, std::size_t limit) noexcept;

} // namespace sms::gsm7
