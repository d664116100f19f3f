#include "blobs/filename.hpp"

#include <algorithm>
#include <array>

namespace blobs {

namespace {

// Line separators (U+2028, U+2029) and direction marks: embeddings and overrides (U+202A to U+202E), isolates
// (U+2066 to U+2069).
constexpr std::array<std::string_view, 11> forbidden_marks{"\u2028", "\u2029", "\u202a", "\u202b", "\u202c",
    "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"};

bool is_forbidden(char c) noexcept
{
    auto const byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f || c == '/' || c == '\\';
}

/// Whether `name` contains a character from U+0080 to U+009F. In UTF-8 this is the byte C2, followed by a
/// byte from 80 to 9F.
bool has_c1_control(std::string_view name) noexcept
{
    auto const is_c1 = [](char lead, char next) {
        return lead == '\xc2' && static_cast<unsigned char>(next) < 0xa0;
    };
    return std::ranges::adjacent_find(name, is_c1) != name.end();
}

} // namespace

bool is_filename(std::string_view name) noexcept
{
    return name != "." && name != ".." && std::ranges::none_of(name, is_forbidden) && !has_c1_control(name) &&
           std::ranges::none_of(forbidden_marks,
               [&](std::string_view mark) { return name.find(mark) != std::string_view::npos; });
}

} // namespace blobs
