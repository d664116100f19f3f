#pragma once

#include <string>
#include <string_view>

namespace core {

/// The bytes in the gzip format (RFC 1952). `level`: from 1, the fastest, to 9, the smallest.
std::string gzip(std::string_view bytes, int level);

} // namespace core
