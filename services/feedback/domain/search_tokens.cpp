#include "domain/search_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utf8proc.h>
#include <utility>
#include <vector>

namespace feedback::search_text {

namespace {

using Point = utf8proc_int32_t;

constexpr std::size_t max_word_bytes = 255;

/// Blocks of scripts that are written without spaces between words.
constexpr std::array<std::pair<Point, Point>, 16> without_spaces{{
    {0x0E00, 0x0EFF},   // Thai, Lao
    {0x1000, 0x109F},   // Myanmar
    {0x1780, 0x17FF},   // Khmer
    {0x2E80, 0x2FDF},   // radicals
    {0x3005, 0x3007},   // iteration mark, closing mark, zero
    {0x3021, 0x3029},   // Hangzhou numerals
    {0x3041, 0x30FF},   // Hiragana, Katakana
    {0x3105, 0x312F},   // Bopomofo
    {0x31A0, 0x31BF},   // Bopomofo
    {0x31F0, 0x31FF},   // Katakana
    {0x3400, 0x4DBF},   // Han
    {0x4E00, 0x9FFF},   // Han
    {0xA9E0, 0xA9FF},   // Myanmar
    {0xAA60, 0xAA7F},   // Myanmar
    {0xF900, 0xFAFF},   // Han
    {0x1B000, 0x3FFFF}, // Kana, Han
}};

bool is_without_spaces(Point point)
{
    return point >= without_spaces.front().first &&
           std::ranges::any_of(without_spaces,
               [=](auto const& range) { return range.first <= point && point <= range.second; });
}

/// The accents that are ignored.
bool is_accent(Point point)
{
    return point >= 0x300 && point <= 0x36F;
}

/// The marks that make another kana of a kana, such as か and が.
bool is_voicing(Point point)
{
    return point == 0x3099 || point == 0x309A;
}

enum class Kind : std::uint8_t { letter, mark, other };

Kind kind_of(Point point)
{
    switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return Kind::letter;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
        return Kind::mark;
    default:
        return Kind::other;
    }
}

void append_utf8(std::string& out, Point point)
{
    std::array<utf8proc_uint8_t, 4> bytes{};
    auto const size = utf8proc_encode_char(point, bytes.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i)
        out += static_cast<char>(bytes[i]);
}

/// Puts combining marks into canonical order. The order of marks of the same class stays.
void sort_marks(std::vector<Point>& points)
{
    auto const class_of = [](Point p) { return utf8proc_get_property(p)->combining_class; };
    auto const is_base = [&](Point p) { return class_of(p) == 0; };
    for (auto run = points.begin(); run != points.end();) {
        run = std::ranges::find_if_not(run, points.end(), is_base);
        auto const end = std::ranges::find_if(run, points.end(), is_base);
        std::vector<std::tuple<int, std::ptrdiff_t, Point>> marks; // by class, then by place
        marks.reserve(static_cast<std::size_t>(end - run));
        for (auto mark = run; mark != end; ++mark)
            marks.emplace_back(class_of(*mark), mark - run, *mark);
        std::ranges::sort(marks);
        for (auto const& mark : marks)
            *run++ = std::get<2>(mark);
    }
}

/// The points in canonical order and composed (NFC), cut at a whole character.
std::string composed(std::vector<Point>& points)
{
    sort_marks(points);
    auto const size = utf8proc_normalize_utf32(points.data(), static_cast<utf8proc_ssize_t>(points.size()),
        static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    std::string out;
    for (std::size_t i = 0; i < static_cast<std::size_t>(std::max<utf8proc_ssize_t>(size, 0)); ++i) {
        if (out.size() + 4 > max_word_bytes) break;
        append_utf8(out, points[i]);
    }
    return out;
}

class Tokenizer {
public:
    std::vector<Token> run(std::string_view utf8)
    {
        auto const* at = reinterpret_cast<utf8proc_uint8_t const*>(utf8.data());
        auto left = static_cast<utf8proc_ssize_t>(utf8.size());
        for (source_ = 0; left > 0; ++source_) {
            Point point = -1;
            auto const size = std::max<utf8proc_ssize_t>(utf8proc_iterate(at, left, &point), 1);
            if (point < 0) {
                separate(); // a byte that is not UTF-8
            } else if (point < 0x80) {
                add_ascii(static_cast<char>(point));
            } else {
                add_folded(point);
            }
            at += size;
            left -= size;
        }
        separate();
        return std::move(tokens_);
    }

private:
    void add_ascii(char c)
    {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        bool const in_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (in_word) {
            add_to_word(c);
        } else {
            separate();
        }
    }

    /// Adds the casefolded compatibility decomposition of one code point of the text.
    void add_folded(Point point)
    {
        static constexpr auto form = static_cast<utf8proc_option_t>(
            UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
        std::array<Point, 32> parts{}; // no code point has a longer decomposition (the longest has 18)
        int boundary = 0;
        auto const count = utf8proc_decompose_char(
            point, parts.data(), static_cast<utf8proc_ssize_t>(parts.size()), form, &boundary);
        if (count < 0 || static_cast<std::size_t>(count) > parts.size()) return separate();
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
            add(parts[i]);
    }

    void add(Point point)
    {
        if (is_accent(point)) return lengthen();
        if (is_voicing(point)) return add_voicing(point);
        Kind const kind = kind_of(point);
        if (kind == Kind::other) return separate();
        if (is_without_spaces(point)) return add_character(point);
        if (kind == Kind::letter) return add_to_word(point);
        if (word_.empty()) return lengthen(); // a mark without a letter
        add_to_word(point);
    }

    void add_to_word(Point point)
    {
        if (word_.empty()) {
            separate();
            word_start_ = source_;
        }
        // The rest of a longer word is not searched. Composition makes words shorter.
        if (word_.size() < 4 * max_word_bytes) word_.push_back(point);
        is_ascii_ = is_ascii_ && point < 0x80;
        word_end_ = source_ + 1;
    }

    void add_character(Point point)
    {
        finish_word();
        std::string text;
        append_utf8(text, point);
        tokens_.push_back({std::move(text), source_, 1, true, in_characters_});
        in_characters_ = true;
    }

    void add_voicing(Point point)
    {
        if (!in_characters_) return lengthen();
        Point base = 0;
        std::string& text = tokens_.back().text;
        utf8proc_iterate(reinterpret_cast<utf8proc_uint8_t const*>(text.data()),
            static_cast<utf8proc_ssize_t>(text.size()), &base);
        std::vector<Point> both{base, point};
        text = composed(both);
        lengthen();
    }

    /// The current token also covers the current code point of the text.
    void lengthen()
    {
        if (!word_.empty()) {
            word_end_ = source_ + 1;
        } else if (in_characters_) {
            tokens_.back().length = source_ + 1 - tokens_.back().start;
        }
    }

    void separate()
    {
        finish_word();
        in_characters_ = false;
    }

    void finish_word()
    {
        if (word_.empty()) return;
        tokens_.push_back({is_ascii_ ? ascii_word() : composed(word_), word_start_, word_end_ - word_start_});
        word_.clear();
        is_ascii_ = true;
        in_characters_ = false;
    }

    std::string ascii_word() const
    {
        std::string text;
        text.reserve(std::min(word_.size(), max_word_bytes));
        for (std::size_t i = 0; i < std::min(word_.size(), max_word_bytes - 3); ++i)
            text += static_cast<char>(word_[i]);
        return text;
    }

    std::vector<Token> tokens_;
    std::size_t source_ = 0; ///< the current code point of the text
    std::vector<Point> word_;
    bool is_ascii_ = true;
    std::size_t word_start_ = 0, word_end_ = 0;
    bool in_characters_ = false; ///< the next character continues the last token
};

} // namespace

std::vector<Token> tokens_of(std::string_view utf8)
{
    return Tokenizer().run(utf8);
}

} // namespace feedback::search_text
