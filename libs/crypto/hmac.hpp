#pragma once

#include "crypto/hash.hpp"

#include <string_view>

namespace crypto {

/// HMAC-SHA-256 (RFC 2104). Compare the result with `equal_constant_time`.
Digest hmac_sha256(std::string_view key, std::string_view data);

} // namespace crypto
