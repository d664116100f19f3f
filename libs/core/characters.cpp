#include "core/characters.hpp"

#include <stdexcept>
#include <utf8proc.h>

namespace core {

namespace {

CharacterKind kind_of(utf8proc_int32_t code_point) noexcept
{
    auto const& property = *utf8proc_get_property(code_point);
    if (property.ignorable) return CharacterKind::other;
    switch (property.category) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
        return CharacterKind::letter;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
        return CharacterKind::mark;
    case UTF8PROC_CATEGORY_ND:
        return CharacterKind::digit;
    default:
        return CharacterKind::other;
    }
}

} // namespace

std::vector<Character> characters(std::string_view utf8)
{
    std::vector<Character> found;
    while (!utf8.empty()) {
        utf8proc_int32_t code_point = 0;
        auto const length = utf8proc_iterate(reinterpret_cast<utf8proc_uint8_t const*>(utf8.data()),
            static_cast<utf8proc_ssize_t>(utf8.size()), &code_point);
        if (length <= 0) throw std::invalid_argument("not UTF-8");
        found.push_back({utf8.substr(0, static_cast<std::size_t>(length)), kind_of(code_point)});
        utf8.remove_prefix(static_cast<std::size_t>(length));
    }
    return found;
}

} // namespace core
