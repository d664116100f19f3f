#include "core/fields.hpp"
#include "core/text.hpp"

#include <boost/locale/utf.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace core {

/// Returns the first position that may not be ASCII. All bytes before it are ASCII.
static char const* skip_ascii(char const* p, char const* end) noexcept
{
    constexpr std::uint64_t high_bits = 0x8080808080808080;
    for (; end - p >= 8; p += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, p, sizeof word);
        if ((word & high_bits) != 0) break;
    }
    while (p != end && static_cast<unsigned char>(*p) < 0x80)
        ++p;
    return p;
}

bool is_utf8(std::string_view text) noexcept
{
    using Utf8 = boost::locale::utf::utf_traits<char>;
    char const* p = text.data();
    char const* const end = p + text.size();
    while ((p = skip_ascii(p, end)) != end)
        if (!boost::locale::utf::is_valid_codepoint(Utf8::decode(p, end))) return false;
    return true;
}

std::string_view whole_characters(std::string_view utf8, std::size_t limit) noexcept
{
    if (utf8.size() <= limit) return utf8;
    // A character has at most three bytes after its first.
    for (int back = 0; back < 3 && limit > 0 && (static_cast<unsigned char>(utf8[limit]) & 0xC0) == 0x80;
        ++back)
        --limit;
    return utf8.substr(0, limit);
}

std::string first_line(std::string_view text, std::size_t limit)
{
    text = trim(text);
    std::string line(text.substr(0, text.find_first_of("\r\n")));
    bool const utf8 = is_utf8(line);
    std::ranges::replace_if(
        line,
        [utf8](char c) {
            auto const byte = static_cast<unsigned char>(c);
            return byte < 0x20 || byte == 0x7F || (!utf8 && byte >= 0x80);
        },
        '?');
    line.resize(whole_characters(line, limit).size());
    return line;
}

std::size_t count_code_points(std::string_view utf8) noexcept
{
    // Counts the bytes that are not of the form 10xxxxxx, eight at a time.
    constexpr std::uint64_t ones = 0x0101010101010101;
    char const* p = utf8.data();
    char const* const end = p + utf8.size();
    std::size_t count = utf8.size();
    for (; end - p >= 8; p += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, p, sizeof word);
        count -= static_cast<std::size_t>(std::popcount(word >> 7 & ~(word >> 6) & ones));
    }
    for (; p != end; ++p)
        count -= static_cast<std::size_t>((static_cast<unsigned char>(*p) & 0xc0) == 0x80);
    return count;
}

} // namespace core
