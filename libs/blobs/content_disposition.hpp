#pragma once

#include <string>
#include <string_view>

namespace blobs {

/// `attachment; filename*=UTF-8''…` (RFC 6266 with RFC 8187): makes a browser save a file under its name.
/// `filename` must be UTF-8.
std::string content_disposition(std::string_view filename);

} // namespace blobs
