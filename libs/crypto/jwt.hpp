#pragma once

#include "core/secret.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct evp_pkey_st;

/// JSON Web Signatures (RFC 7515) and Keys (RFC 7517). Our own tokens are ES256, ECDSA on P-256 with SHA-256
/// (RFC 7518, 3.4), and nothing else; RS256 (3.3) is for what other issuers sign. What a token claims, and
/// when it expires, is for the caller to judge.
namespace crypto {

enum class SignatureAlgorithm : std::uint8_t { es256, rs256 };

/// A public key for one algorithm. Cheap to copy; safe to share between threads.
class PublicKey {
public:
    /// Reads `{"kty": "EC", "crv": "P-256", "kid", "x", "y"}`. nullopt when it is another kind of key, is not
    /// for ES256 signatures (`use`, `key_ops`, `alg`), has no `kid`, or is not a point of the curve.
    static std::optional<PublicKey> from_jwk(boost::json::object const& jwk);

    /// Reads `{"kty": "RSA", "kid", "n", "e"}` likewise, for RS256; nullopt also below 2048 bits.
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

    /// The key of that id, or nullptr. Valid as long as the set.
    PublicKey const* find(std::string_view kid) const noexcept;
};

/// Reads `{"keys": [...]}` (RFC 7517, 5), leaving out the keys that `PublicKey::from_jwk` cannot use.
/// Throws std::invalid_argument when it is not a key set at all.
JwkSet parse_jwk_set(std::string_view json);

/// The same with the keys of `PublicKey::from_rsa_jwk` too: another issuer's.
JwkSet parse_foreign_jwk_set(std::string_view json);

/// A token taken apart; nothing in it is to be believed before it is verified.
struct Jws {
    boost::json::object header;
    boost::json::object payload;
    std::string signing_input; ///< what the signature is over: the first two parts as they were sent
    std::string signature;     ///< raw bytes

    /// The header's `kid`, or empty.
    std::string_view kid() const noexcept;
};

/// Reads the compact serialisation: three parts of base64url without padding, header and payload JSON
/// objects.
std::optional<Jws> parse_jws(std::string_view token);

/// Whether the header says ES256, has no `crit`, and the signature is this key's. Takes about 75 µs: remember
/// the answer.
bool verify_es256(PublicKey const& key, Jws const& jws);

/// The same for the key's own algorithm, which the header has to name: a token does not choose how it is
/// checked.
bool verify(PublicKey const& key, Jws const& jws);

/// A P-256 private key that signs tokens. Cheap to copy; safe to share between threads.
class SigningKey {
public:
    static SigningKey generate();

    /// Reads PEM (PKCS #8 or SEC 1, not encrypted). Throws std::invalid_argument, without any of the text,
    /// when it is not a P-256 private key.
    static SigningKey from_pem(std::string_view pem);

    /// PKCS #8, not encrypted.
    core::Secret to_pem() const;

    /// The public half: `kty`, `crv`, `x`, `y`, `kid`, `use`, `alg`.
    boost::json::object public_jwk(std::string_view kid) const;

    /// What a key is called when nobody names it: base64url of SHA-256 (RFC 7638).
    std::string thumbprint() const;

    /// The compact serialisation, signed. `header` holds what it is to say besides `alg`: `{"kid": ...,
    /// "typ": ...}`.
    std::string sign(boost::json::object header, boost::json::object const& payload) const;

private:
    explicit SigningKey(std::shared_ptr<evp_pkey_st> key) noexcept : key_(std::move(key)) {}

    std::shared_ptr<evp_pkey_st> key_;
};

} // namespace crypto
