#pragma once

#include "crypto/openssl.hpp"

#include <optional>
#include <string>
#include <string_view>

/// For the sources of this library only: P-256 keys and ECDSA signatures in the raw form of JOSE.
namespace crypto::detail {

/// The size of a coordinate and of each half of a signature, in bytes.
inline constexpr std::size_t p256_size = 32;

/// The public key at (x, y), 32 bytes each; null if the point is not on the curve.
Key p256_public_key(std::string_view x, std::string_view y);

/// A new key pair.
Key p256_generate();

struct Point {
    std::string x, y;
};

Point p256_point(EVP_PKEY* key);

/// The public key as an uncompressed point (SEC 1, 2.3.3): `0x04 || x || y`.
std::string p256_uncompressed(EVP_PKEY* key);

bool is_p256(EVP_PKEY* key);

/// `r || s`, 64 bytes (RFC 7518, 3.4).
std::string p256_sign(EVP_PKEY* key, std::string_view data);

bool p256_verify(EVP_PKEY* key, std::string_view data, std::string_view signature);

} // namespace crypto::detail
