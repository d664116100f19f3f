#pragma once

#include "crypto/openssl.hpp"

#include <string>
#include <string_view>

/// For the sources of this library only: RSA public keys and RSASSA-PKCS1-v1_5 signatures with SHA-256.
namespace crypto::detail {

/// The public key with modulus `n` and exponent `e` (big-endian). Returns null if the key is invalid, or has
/// fewer than 2048 bits (RFC 7518, 3.3) or more than 8192 bits.
Key rsa_public_key(std::string_view n, std::string_view e);

/// The modulus and the exponent (big-endian).
struct RsaNumbers {
    std::string n, e;
};

RsaNumbers rsa_numbers(EVP_PKEY* key);

bool rsa_verify(EVP_PKEY* key, std::string_view data, std::string_view signature);

} // namespace crypto::detail
