#include "core/text.hpp"

#include <boost/url/encode.hpp>
#include <boost/url/grammar/lut_chars.hpp>
#include <boost/url/pct_string_view.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

namespace core {

namespace urls = boost::urls;

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
