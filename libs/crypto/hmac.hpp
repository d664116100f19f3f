#pragma once

#include "crypto/hash.hpp"

#include <string_view>

namespace crypto {

/// HMAC-SHA-256 (RFC 2104). Compare the result with `equal_constant_time`.
Digest hmac_sha256(std::string_view key, std::string_view data);

/// HMAC-SHA-1, for protocols that require it (TOTP, Twilio's signatures). The known attacks on SHA-1 do not
/// apply to HMAC-SHA-1.
Sha1Digest hmac_sha1(std::string_view key, std::string_view data);

} // namespace crypto
