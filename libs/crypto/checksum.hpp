#pragma once

#include <string>
#include <string_view>

namespace crypto {

/// The CRC-32 of `text` (ISO-HDLC, as in zlib and PNG) as 6 base62 characters (`0-9A-Za-z`), most significant
/// first, padded with zeros. It detects typing errors and truncation. It does not protect against attackers.
std::string crc32_base62(std::string_view text);

} // namespace crypto
