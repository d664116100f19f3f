#include "core/json_writer.hpp"

#include "core/hex.hpp"
#include "core/id.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

namespace core {

namespace {

/// For each byte: 0 if it needs no escape, `u` for \u00XX, else the letter of its short escape (RFC 8259, 7).
constexpr auto escapes = [] {
    std::array<char, 256> table{};
    for (std::size_t i = 0; i < 0x20; ++i)
        table[i] = 'u';
    table['\b'] = 'b';
    table['\f'] = 'f';
    table['\n'] = 'n';
    table['\r'] = 'r';
    table['\t'] = 't';
    table['"'] = '"';
    table['\\'] = '\\';
    return table;
}();

/// Whether 8 bytes contain a control character, `"` or `\`. Each comparison takes all 8 bytes as one word.
bool needs_escape(char const* p) noexcept
{
    constexpr std::uint64_t ones = 0x0101010101010101;
    constexpr std::uint64_t high_bits = 0x8080808080808080;
    std::uint64_t word = 0;
    std::memcpy(&word, p, sizeof word);
    std::uint64_t const quote = word ^ (ones * '"');
    std::uint64_t const backslash = word ^ (ones * '\\');
    std::uint64_t const below = (word - ones * 0x20) & ~word;
    return ((below | ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash)) & high_bits) != 0;
}

/// Writes `,` if `comma`. It always stores the byte but advances only if `comma`, which avoids a branch.
char* put_comma(char* out, bool comma) noexcept
{
    *out = ',';
    return out + (comma ? 1 : 0);
}

char* put_escape(char* out, char c) noexcept
{
    auto const byte = static_cast<unsigned char>(c);
    *out++ = '\\';
    *out++ = escapes[byte];
    if (escapes[byte] != 'u') return out;
    *out++ = '0';
    *out++ = '0';
    *out++ = hex::digits[byte >> 4];
    *out++ = hex::digits[byte & 15];
    return out;
}

/// The largest size of one escaped byte.
constexpr std::size_t escape_size = 6;

/// Copies `text` with escapes, eight bytes at a time if none needs one. `out` must have room for
/// `escape_size` characters per byte of `text`.
char* put_text(char* out, std::string_view text) noexcept
{
    char const* p = text.data();
    char const* const end = p + text.size();
    while (p != end) {
        for (; end - p >= 8 && !needs_escape(p); p += 8, out += 8)
            std::memcpy(out, p, 8);
        for (char const* const stop = end - p >= 8 ? p + 8 : end; p != stop; ++p) {
            if (escapes[static_cast<unsigned char>(*p)] == 0)
                *out++ = *p;
            else
                out = put_escape(out, *p);
        }
    }
    return out;
}

/// The longest integer or double takes 24 characters.
constexpr std::size_t number_size = 32;

template <class Number> char* put_number(char* out, Number number) noexcept
{
    return std::to_chars(out, out + number_size, number).ptr;
}

} // namespace

std::string JsonWriter::str() &&
{
    out_.resize(size_);
    size_ = 0;
    comma_ = false;
    return std::exchange(out_, {});
}

void JsonWriter::grow(std::size_t count)
{
    constexpr std::size_t least = 1024;
    out_.resize(std::max({least, 2 * out_.size(), size_ + count}));
}

JsonWriter& JsonWriter::open(char bracket)
{
    char* out = put_comma(room(2), comma_);
    *out++ = bracket;
    advance(out);
    comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::close(char bracket)
{
    char* out = room(1);
    *out++ = bracket;
    advance(out);
    comma_ = true;
    return *this;
}

JsonWriter& JsonWriter::key(std::string_view name)
{
    char* out = put_comma(room(name.size() + 4), comma_);
    *out++ = '"';
    out = std::copy(name.begin(), name.end(), out);
    *out++ = '"';
    *out++ = ':';
    advance(out);
    comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::value(std::string_view text)
{
    // A long text is written in pieces. Otherwise memory of six times its size would be reserved at once.
    constexpr std::size_t piece = 128;
    char* out = put_comma(room(2), comma_);
    *out++ = '"';
    advance(out);
    for (std::size_t at = 0; at < text.size(); at += piece) {
        std::string_view const part = text.substr(at, piece);
        advance(put_text(room(escape_size * part.size()), part));
    }
    return close('"');
}

JsonWriter& JsonWriter::value(double number)
{
    if (!std::isfinite(number)) return null();
    advance(put_number(put_comma(room(number_size + 1), comma_), number));
    comma_ = true;
    return *this;
}

JsonWriter& JsonWriter::value(Time time)
{
    char* out = put_comma(room(rfc3339_size + 3), comma_);
    *out++ = '"';
    write_rfc3339(time, out);
    advance(out + rfc3339_size);
    return close('"');
}

JsonWriter& JsonWriter::value(Uuid const& id)
{
    char* out = put_comma(room(Uuid::text_size + 3), comma_);
    *out++ = '"';
    id.write(out);
    advance(out + Uuid::text_size);
    return close('"');
}

JsonWriter& JsonWriter::value(std::span<std::string const> texts)
{
    begin_array();
    for (std::string const& text : texts)
        value(text);
    return end_array();
}

JsonWriter& JsonWriter::raw(std::string_view json)
{
    char* const out = put_comma(room(json.size() + 1), comma_);
    advance(std::copy(json.begin(), json.end(), out));
    comma_ = true;
    return *this;
}

JsonWriter& JsonWriter::write_integer(std::int64_t number)
{
    advance(put_number(put_comma(room(number_size + 1), comma_), number));
    comma_ = true;
    return *this;
}

JsonWriter& JsonWriter::write_integer(std::uint64_t number)
{
    advance(put_number(put_comma(room(number_size + 1), comma_), number));
    comma_ = true;
    return *this;
}

} // namespace core
