#pragma once

#include "http/message.hpp"

#include <string>
#include <string_view>

namespace docs {

/// A file that is part of the program and stays what it is while the program runs.
class Asset {
public:
    /// `gzip`: the file, compressed (RFC 1952); of static storage, as `content_type` is.
    Asset(std::string_view gzip, std::string_view content_type);

    /// 200 with the file: as it lies here for a client that takes gzip (`Accept-Encoding`; RFC 9110, 12.5.3),
    /// else as a stream of what it was compressed from, in pieces of 64 KiB at most. 304 for one whose
    /// `If-None-Match` names the same. Caches are to ask each time.
    http::Response answer(http::Request const& request) const;

private:
    std::string_view gzip_;
    std::string_view content_type_;
    std::string plain_tag_;
    std::string gzip_tag_;
};

} // namespace docs
