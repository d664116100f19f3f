#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace core {

/// What a character is, by Unicode's general category.
enum class CharacterKind : std::uint8_t {
    letter, ///< L, of any script
    mark,   ///< Mn, Mc: accents, and the vowel signs of many scripts
    digit,  ///< Nd: decimal digits of any script
    other,  ///< all other categories, and invisible characters such as U+3164
};

struct Character {
    std::string_view text; ///< its bytes in UTF-8
    CharacterKind kind = CharacterKind::other;
};

/// The code points of `utf8`, which must stay valid while the result is used. Throws std::invalid_argument if
/// `utf8` is not UTF-8.
std::vector<Character> characters(std::string_view utf8);

} // namespace core
