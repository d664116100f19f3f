#pragma once

#include "core/secret.hpp"

#include <boost/json/object.hpp>

#include <memory>
#include <string>
#include <string_view>

struct evp_pkey_st;

namespace crypto {

/// An RSA private key: it signs tokens for other parties (RS256, RFC 7518, 3.3) and email (DKIM). Cheap to
/// copy. Thread-safe.
class RsaSigningKey {
public:
    /// A new key of 2048 bits. Takes about 100 ms of CPU time.
    static RsaSigningKey generate();

    /// Reads PEM (PKCS #8 or PKCS #1, not encrypted). Throws std::invalid_argument if `pem` is not an RSA
    /// private key of 2048 to 8192 bits. The message does not contain the key.
    static RsaSigningKey from_pem(std::string_view pem);

    /// The key as PKCS #8, not encrypted.
    core::Secret to_pem() const;

    /// The public key as a DER SubjectPublicKeyInfo (RFC 5280, 4.1).
    std::string public_der() const;

    /// The public key as a JWK: `kty`, `n`, `e`, `kid`, `use`, `alg`.
    boost::json::object public_jwk(std::string_view kid) const;

    /// The thumbprint of RFC 7638 (SHA-256, base64url).
    std::string thumbprint() const;

    /// Returns the signed token in compact serialisation. `header` holds the header members other than `alg`.
    /// Takes about 1 ms.
    std::string sign(boost::json::object header, boost::json::object const& payload) const;

private:
    explicit RsaSigningKey(std::shared_ptr<evp_pkey_st> key) noexcept : key_(std::move(key)) {}

    std::shared_ptr<evp_pkey_st> key_;
};

} // namespace crypto
