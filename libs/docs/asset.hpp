#pragma once

#include "http/message.hpp"

#include <string>
#include <string_view>

namespace docs {

/// An immutable file embedded in the program.
class Asset {
public:
    /// `gzip` is the compressed file (RFC 1952). Both arguments must have static storage duration.
    Asset(std::string_view gzip, std::string_view content_type);

    /// Responds with 304 if `If-None-Match` names the current version, else with 200 and the file. The body
    /// is compressed if the client accepts gzip (`Accept-Encoding`; RFC 9110, 12.5.3). Otherwise it is a
    /// stream of the decompressed content, in pieces of at most 64 KiB. Caches must revalidate the response
    /// before each use (`no-cache`).
    http::Response answer(http::Request const& request) const;

private:
    std::string_view gzip_;
    std::string_view content_type_;
    std::string plain_tag_;
    std::string gzip_tag_;
};

} // namespace docs
