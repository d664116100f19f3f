#pragma once

#include "core/secret.hpp"
#include "crypto/openssl.hpp"

#include <string_view>

/// For the sources of this library only: private keys in PEM, not encrypted.
namespace crypto::detail {

/// Reads PKCS #8, PKCS #1 or SEC 1; null if `pem` is not a private key.
Key read_private_key(std::string_view pem);

/// Writes the key as PKCS #8.
core::Secret write_private_key(EVP_PKEY* key);

} // namespace crypto::detail
