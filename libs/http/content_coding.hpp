#pragma once

#include "http/message.hpp"

namespace http {

/// Whether the response may be compressed with gzip (`Accept-Encoding`; RFC 9110, 12.5.3). Without the header
/// every coding is allowed, but clients that do not send it usually cannot decompress, so the result is
/// false.
bool accepts_gzip(Request const& request) noexcept;

} // namespace http
