#include "domain/brand.hpp"

#include "core/characters.hpp"
#include "core/text.hpp"
#include "domain/public_suffix.hpp"
#include "sms/gsm7.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace auth_mfa {

namespace {

using core::Character;
using core::CharacterKind;

constexpr std::size_t max_digits = 3; ///< in a row

bool is_in_word(Character const& character)
{
    return character.kind != CharacterKind::other;
}

/// Whether every mark follows a letter, and every other character is permitted.
bool has_permitted_characters(std::vector<Character> const& brand)
{
    constexpr std::string_view permitted = " &.'-";
    bool after_letter = false;
    for (auto const& character : brand) {
        bool const is_mark = character.kind == CharacterKind::mark;
        if (is_mark && !after_letter) return false;
        if (!is_in_word(character) && permitted.find(character.text) == permitted.npos) return false;
        after_letter = is_mark || character.kind == CharacterKind::letter;
    }
    return std::ranges::any_of(brand, is_in_word);
}

bool has_many_digits(std::vector<Character> const& brand)
{
    std::size_t digits = 0;
    for (auto const& character : brand) {
        if (character.kind == CharacterKind::letter) digits = 0;
        if (character.kind == CharacterKind::digit && ++digits > max_digits) return true;
    }
    return false;
}

struct Word {
    std::string gap; ///< the characters between the previous word and this one
    std::string text;
    std::size_t size = 0; ///< in characters
    bool begins_with_letter = false;
};

std::vector<Word> words_of(std::vector<Character> const& brand)
{
    std::vector<Word> words;
    std::string gap;
    bool in_word = false;
    for (auto const& character : brand) {
        if (!is_in_word(character)) {
            gap += character.text;
            in_word = false;
            continue;
        }
        if (!in_word)
            words.push_back({.gap = std::exchange(gap, {}),
                .begins_with_letter = character.kind == CharacterKind::letter});
        words.back().text += character.text;
        ++words.back().size;
        in_word = true;
    }
    return words;
}

bool is_domain_name(Word const& first, Word const& second)
{
    if (second.gap == ".") return second.begins_with_letter && second.size >= 2;
    if (second.gap.find('.') == second.gap.npos || !is_top_level_domain(second.text)) return false;
    return core::lower(first.text) != "co"; // legal forms, such as `Co. KG` and `Co. Ltd`
}

bool has_domain_name(std::vector<Character> const& brand)
{
    auto const words = words_of(brand);
    return std::ranges::adjacent_find(words, is_domain_name) != words.end();
}

} // namespace

std::optional<BrandFault> brand_fault(std::string_view brand)
{
    std::string const normal = core::nfc(brand), sent = sms::gsm7::transliterate(normal);
    auto const shown = core::characters(normal), in_message = core::characters(sent);
    if (shown.size() > max_own_brand) return BrandFault{"too_long", "must have at most 30 characters"};
    if (!has_permitted_characters(shown))
        return BrandFault{"format", "must consist of letters, digits, spaces and the characters & . ' -"};
    if (has_many_digits(shown) || has_many_digits(in_message))
        return BrandFault{"digits",
            "must not contain four digits in a row, with or without spaces and punctuation between them"};
    if (has_domain_name(shown) || has_domain_name(in_message))
        return BrandFault{"domain_name", "must not contain a domain name, such as example.com"};
    return std::nullopt;
}

} // namespace auth_mfa
