#pragma once

#include "http/message.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace docs {

/// How caches may use an asset.
enum class Caching : std::uint8_t {
    revalidate, ///< they ask before each use (`no-cache`)
    immutable,  ///< they keep it for a year, because the content at its address never changes (RFC 8246)
};

/// An immutable file embedded in the program.
class Asset {
public:
    /// `gzip` is the compressed file (RFC 1952). Both texts must have static storage duration.
    Asset(std::string_view gzip, std::string_view content_type, Caching caching = Caching::revalidate);

    /// Responds with 304 if `If-None-Match` names the current version, else with 200 and the file. The body
    /// is compressed if the client accepts gzip (`Accept-Encoding`; RFC 9110, 12.5.3). Otherwise it is a
    /// stream of the decompressed content, in pieces of at most 64 KiB.
    http::Response answer(http::Request const& request) const;

private:
    std::string_view gzip_;
    std::string_view content_type_;
    Caching caching_;
    std::string plain_tag_;
    std::string gzip_tag_;
};

/// The value of `Cache-Control`.
std::string_view cache_control(Caching caching) noexcept;

} // namespace docs
