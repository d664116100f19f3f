#include "core/text.hpp"

#include "core/fields.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <boost/url/encode.hpp>
#include <boost/url/grammar/lut_chars.hpp>
#include <boost/url/pct_string_view.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

namespace core {

namespace urls = boost::urls;

std::string one_line(std::string_view text)
{
    bool const valid = is_utf8(text);
    std::string line;
    line.reserve(text.size());
    for (char const c : text) {
        auto const byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f)
            line += ' ';
        else
            line += byte < 0x80 || valid ? c : '?';
    }
    for (auto const* hidden : {"\u0085", "\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b",
             "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"})
        boost::algorithm::replace_all(line, hidden, " ");
    return line;
}

std::string percent_encode(std::string_view text, char const* keep)
{
    return urls::encode(text, urls::unreserved_chars + urls::grammar::lut_chars(keep));
}

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space)
{
    auto const encoded = urls::make_pct_string_view(text);
    if (!encoded) return std::nullopt;
    return encoded->decode(urls::encoding_opts(plus_is_space));
}

} // namespace core
