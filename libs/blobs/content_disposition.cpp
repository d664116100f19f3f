#include "blobs/content_disposition.hpp"

#include <boost/url/encode.hpp>
#include <boost/url/grammar/alnum_chars.hpp>
#include <boost/url/grammar/lut_chars.hpp>

namespace blobs {

namespace {

// The characters that need no percent-encoding (RFC 8187, 3.2.1).
constexpr auto attr_chars =
    boost::urls::grammar::alnum_chars + boost::urls::grammar::lut_chars("!#$&+-.^_`|~");

} // namespace

std::string content_disposition(std::string_view filename)
{
    return "attachment; filename*=UTF-8''" + boost::urls::encode(filename, attr_chars);
}

} // namespace blobs
