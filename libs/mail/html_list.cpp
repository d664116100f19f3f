#include "mail/html_list.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace mail {

namespace {

/// The number at the beginning of an attribute's value, within 32 bits (HTML 2.3.4.1).
std::optional<std::int64_t> number_of(std::optional<std::string_view> value)
{
    auto text = core::trim(value.value_or(""));
    if (text.starts_with('+')) text.remove_prefix(1);
    std::int32_t number = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc()) return std::nullopt;
    return number;
}

/// a to z, aa, ab, ... for a positive number.
std::string letters(std::int64_t number)
{
    constexpr int alphabet = 26;
    std::string out;
    for (; number > 0; number = (number - 1) / alphabet)
        out += static_cast<char>('a' + (number - 1) % alphabet);
    std::ranges::reverse(out);
    return out;
}

constexpr std::int64_t last_roman = 3'999;

std::string roman(std::int64_t number)
{
    constexpr std::array<std::pair<int, std::string_view>, 13> digits{
        {{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"},
            {10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}}};
    std::string out;
    for (auto const& [value, digit] : digits)
        for (; number >= value; number -= value)
            out += digit;
    return out;
}

std::int64_t count_items(HtmlTree const& tree, HtmlTree::Node list)
{
    std::int64_t count = 0;
    for (auto child = tree.first_child(list); child != HtmlTree::none; child = tree.next_sibling(child))
        count += static_cast<std::int64_t>(tree.tag(child) == "li");
    return count;
}

std::string numeral(std::int64_t number, char type)
{
    bool const roman_type = type == 'i' || type == 'I';
    bool const letter_type = type == 'a' || type == 'A';
    if (number < 1 || (!roman_type && !letter_type) || (roman_type && number > last_roman))
        return std::to_string(number);
    auto const text = roman_type ? roman(number) : letters(number);
    return type == 'I' || type == 'A' ? core::upper(text) : text;
}

} // namespace

HtmlList::HtmlList(HtmlTree const& tree, HtmlTree::Node list) : ordered_(tree.tag(list) == "ol")
{
    auto const type = tree.attribute(list, "type").value_or("");
    if (type.size() == 1) type_ = type[0];
    if (tree.attribute(list, "reversed")) {
        step_ = -1;
        next_ = count_items(tree, list);
    }
    next_ = number_of(tree.attribute(list, "start")).value_or(next_);
}

std::string HtmlList::next_marker(HtmlTree const& tree, HtmlTree::Node item)
{
    if (!ordered_) return "-";
    auto const number = number_of(tree.attribute(item, "value")).value_or(next_);
    next_ = number + step_;
    return numeral(number, type_) + '.';
}

} // namespace mail
