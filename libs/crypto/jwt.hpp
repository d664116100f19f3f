#pragma once

#include "core/secret.hpp"

#include <boost/json/object.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct evp_pkey_st;

/// JSON Web Signatures (RFC 7515) and Keys (RFC 7517). Our own services accept only ES256: ECDSA on P-256
/// with SHA-256 (RFC 7518, 3.4). RS256 (RFC 7518, 3.3) is for tokens of other issuers, and for id tokens that
/// other parties verify. The caller checks the claims and the expiry.
namespace crypto {

enum class SignatureAlgorithm : std::uint8_t { es256, rs256 };

/// The names of RFC 7518, 3.1.
constexpr auto enum_names(SignatureAlgorithm)
{
    return std::to_array<std::string_view>({"ES256", "RS256"});
}

/// A public key for one algorithm. Cheap to copy. Thread-safe.
class PublicKey {
public:
    /// Reads `{"kty": "EC", "crv": "P-256", "kid", "x", "y"}`. Returns nullopt for another kind of key, for a
    /// key that is not for ES256 signatures (`use`, `key_ops`, `alg`), for a key without `kid`, and for a
    /// point that is not on the curve.
    static std::optional<PublicKey> from_jwk(boost::json::object const& jwk);

    /// Like `from_jwk`, for RS256: reads `{"kty": "RSA", "kid", "n", "e"}`. Also returns nullopt for a key of
    /// fewer than 2048 or more than 8192 bits.
    static std::optional<PublicKey> from_rsa_jwk(boost::json::object const& jwk);

    std::string const& kid() const noexcept { return kid_; }

    SignatureAlgorithm algorithm() const noexcept { return algorithm_; }

private:
    friend bool verify(PublicKey const& key, struct Jws const& jws);

    std::string kid_;
    SignatureAlgorithm algorithm_ = SignatureAlgorithm::es256;
    std::shared_ptr<evp_pkey_st> key_;
};

struct JwkSet {
    std::vector<PublicKey> keys;

    /// The key with that id, or nullptr. Valid for the lifetime of the set.
    PublicKey const* find(std::string_view kid) const noexcept;
};

/// Reads `{"keys": [...]}` (RFC 7517, 5). Skips keys that `PublicKey::from_jwk` does not accept. Throws
/// std::invalid_argument if the text is not a key set.
JwkSet parse_jwk_set(std::string_view json);

/// Like `parse_jwk_set`, but also accepts keys that `PublicKey::from_rsa_jwk` accepts. For the keys of other
/// issuers.
JwkSet parse_foreign_jwk_set(std::string_view json);

/// A parsed token. Its content is not verified yet.
struct Jws {
    boost::json::object header;
    boost::json::object payload;
    std::string signing_input; ///< the signed text: the first two parts as received
    std::string signature;     ///< raw bytes

    /// The header's `kid`, or empty.
    std::string_view kid() const noexcept;
};

/// Parses the compact serialisation: three parts of base64url without padding, in which header and payload
/// are JSON objects. Returns nullopt for other text.
std::optional<Jws> parse_jws(std::string_view token);

/// Whether the header says ES256 and has no `crit`, and the signature is valid for this key. Takes about 75
/// µs, so cache the result.
bool verify_es256(PublicKey const& key, Jws const& jws);

/// Like `verify_es256`, for the algorithm of `key`. The header must name this algorithm, so a token cannot
/// choose how it is verified.
bool verify(PublicKey const& key, Jws const& jws);

/// A P-256 private key that signs tokens. Cheap to copy. Thread-safe.
class SigningKey {
public:
    static SigningKey generate();

    /// Reads PEM (PKCS #8 or SEC 1, not encrypted). Throws std::invalid_argument if `pem` is not a P-256
    /// private key. The message does not contain the key.
    static SigningKey from_pem(std::string_view pem);

    /// PKCS #8, not encrypted.
    core::Secret to_pem() const;

    /// The public key as a JWK: `kty`, `crv`, `x`, `y`, `kid`, `use`, `alg`.
    boost::json::object public_jwk(std::string_view kid) const;

    /// The public key as an uncompressed point (SEC 1, 2.3.3): `0x04 || x || y`, 65 bytes.
    std::string public_point() const;

    /// The default key id: the thumbprint of RFC 7638 (SHA-256, base64url).
    std::string thumbprint() const;

    /// Returns the signed token in compact serialisation. `header` holds the header members other than `alg`:
    /// `{"kid": ..., "typ": ...}`.
    std::string sign(boost::json::object header, boost::json::object const& payload) const;

private:
    explicit SigningKey(std::shared_ptr<evp_pkey_st> key) noexcept : key_(std::move(key)) {}

    std::shared_ptr<evp_pkey_st> key_;
};

} // namespace crypto
