#include "mail/text_page.hpp"

#include <boost/locale/utf.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>

namespace mail {

namespace {

constexpr std::size_t max_shown_indents = 8; // so the text stays proportional to the HTML
constexpr unsigned max_breaks = 2;

enum class Kind : std::uint8_t {
    shown,
    blank,
    nothing,   ///< invisible and without meaning in plain text
    joiner,    ///< joins the characters before and after it; else invisible
    direction, ///< sets the direction of the characters around it; else invisible
};

struct Range {
    char32_t first, last;
    Kind kind;
};

/// Characters that are not shown, in their order. Newsletters fill the lines behind a hidden preview with
/// them.
constexpr std::array<Range, 20> not_shown{{{0, 8, Kind::nothing}, {9, 13, Kind::blank},
    {14, 31, Kind::nothing}, {' ', ' ', Kind::blank}, {0x7F, 0x9F, Kind::nothing}, {0xA0, 0xA0, Kind::blank},
    {0xAD, 0xAD, Kind::nothing}, {0x34F, 0x34F, Kind::nothing}, {0x1680, 0x1680, Kind::blank},
    {0x180E, 0x180E, Kind::nothing}, {0x2000, 0x200A, Kind::blank}, {0x200B, 0x200B, Kind::nothing},
    {0x200C, 0x200D, Kind::joiner}, {0x200E, 0x200F, Kind::direction}, {0x2028, 0x2029, Kind::blank},
    {0x202F, 0x202F, Kind::blank}, {0x205F, 0x205F, Kind::blank}, {0x2060, 0x2064, Kind::nothing},
    {0x3000, 0x3000, Kind::blank}, {0xFEFF, 0xFEFF, Kind::nothing}}};

Kind kind_of(char32_t c)
{
    auto const* const range = std::ranges::lower_bound(not_shown, c, {}, &Range::last);
    return range == not_shown.end() || c < range->first ? Kind::shown : range->kind;
}

/// Windows-1252 from 0x80 to 0x9F. Numeric references to these code points mean these characters
/// (HTML 13.2.5.80).
constexpr std::array<std::string_view, 32> windows_1252{"€", "", "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š",
    "‹", "Œ", "", "Ž", "", "", "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", "", "ž", "Ÿ"};

/// The first character of valid UTF-8 and its bytes.
std::pair<char32_t, std::string_view> first_character(std::string_view text)
{
    char const* end = text.data();
    auto const c = boost::locale::utf::utf_traits<char>::decode_valid(end);
    return {c, text.substr(0, static_cast<std::size_t>(end - text.data()))};
}

/// The text without characters that are not shown, so it is one word.
std::string shown_only(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        auto const [c, bytes] = first_character(text);
        text.remove_prefix(bytes.size());
        if (kind_of(c) == Kind::shown) out += bytes;
    }
    return out;
}

void remove_last_spaces(std::string& text)
{
    text.resize(text.find_last_not_of(' ') + 1);
}

} // namespace

void TextPage::say(std::string_view text)
{
    while (!text.empty()) {
        auto const [c, bytes] = first_character(text);
        text.remove_prefix(bytes.size());
        if (kind_of(c) == Kind::blank)
            space();
        else
            say_character(c, bytes);
    }
}

void TextPage::say_verbatim(std::string_view text)
{
    while (!text.empty()) {
        auto const [c, bytes] = first_character(text);
        text.remove_prefix(bytes.size());
        if (c == '\n') {
            break_line();
        } else if (c == '\t' || (c != '\r' && kind_of(c) == Kind::blank)) {
            blank_ += c == '\t' ? '\t' : ' ';
            verbatim_ = true;
        } else {
            say_character(c, bytes);
        }
    }
}

void TextPage::say_character(char32_t c, std::string_view bytes)
{
    constexpr char32_t first_1252 = 0x80;
    switch (kind_of(c)) {
    case Kind::shown:
        return put(bytes);
    case Kind::joiner:
        if (is_in_word() && joiner_.empty()) joiner_ = bytes;
        return;
    case Kind::direction:
        if (is_in_word()) put(bytes);
        return;
    default:
        if (c - first_1252 < windows_1252.size() && !windows_1252[c - first_1252].empty())
            put(windows_1252[c - first_1252]);
    }
}

void TextPage::say_word(std::string_view word)
{
    auto const shown = shown_only(word);
    if (!shown.empty()) put(shown);
}

void TextPage::say_after_last(std::string_view word)
{
    joiner_.clear();
    text_ += ' ';
    text_ += shown_only(word);
}

void TextPage::space()
{
    if (blank_.empty()) blank_ = ' ';
}

void TextPage::begin_line(unsigned lines)
{
    blank_.clear();
    verbatim_ = false;
    // Directly after a bullet, the text stays on the bullet's line.
    if (indents_.empty() || indents_.back().begun) breaks_ = std::max(breaks_, lines);
}

void TextPage::break_line()
{
    begin_line(std::min(breaks_ + 1, max_breaks));
}

void TextPage::close_up() noexcept
{
    breaks_ = std::min(breaks_, 1U);
}

void TextPage::indent(std::string first, std::string rest)
{
    indents_.push_back({.first = std::move(first), .rest = std::move(rest)});
}

void TextPage::outdent()
{
    indents_.pop_back();
    common_indents_ = std::min(common_indents_, indents_.size());
}

void TextPage::begin_cell()
{
    if (cells_++ > 0) ++borders_;
}

std::string TextPage::text() &&
{
    if (!text_.empty()) text_ += '\n';
    return std::move(text_);
}

void TextPage::put(std::string_view character)
{
    begin_text();
    text_ += character;
    if (record_.size() < max_record) record_ += character;
}

bool TextPage::is_in_word() const noexcept
{
    return !text_.empty() && breaks_ == 0 && blank_.empty() && borders_ == 0;
}

void TextPage::begin_text()
{
    bool const in_word = is_in_word();
    if (in_word)
        text_ += joiner_;
    else if (text_.empty() || breaks_ > 0)
        begin_written_line();
    else if (borders_ == 0)
        text_ += blank_;
    if (!in_word && record_.size() < max_record) record_ += ' ';
    write_borders();
    joiner_.clear();
    blank_.clear();
    verbatim_ = false;
    breaks_ = 0;
    common_indents_ = indents_.size();
}

void TextPage::begin_written_line()
{
    if (!text_.empty()) text_ += '\n';
    if (!text_.empty() && breaks_ > 1) {
        for (std::size_t i = 0; i < std::min(common_indents_, max_shown_indents); ++i)
            text_ += indents_[i].rest;
        remove_last_spaces(text_);
        text_ += '\n';
    }
    for (std::size_t i = 0; i < indents_.size(); ++i) {
        auto& indent = indents_[i];
        if (!indent.begun)
            text_ += indent.first;
        else if (i < max_shown_indents)
            text_ += indent.rest;
        indent.begun = true;
    }
    if (verbatim_) text_ += blank_;
}

void TextPage::write_borders()
{
    for (; borders_ > 0; --borders_)
        text_ += text_.empty() || text_.ends_with('\n') || text_.ends_with(' ') ? "| " : " | ";
}

} // namespace mail
