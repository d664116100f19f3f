#pragma once

#include "core/clock.hpp"
#include "crypto/jwt.hpp"
#include "crypto/keyring.hpp"
#include "crypto/rsa_key.hpp"
#include "pg/tx.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The tables `signing_keys` (ES256) and `rsa_signing_keys` (RS256). The keys belong to no tenant, so
/// transactions need no scope.
namespace auth_mfa::signing_keys {

/// A signing key. It is kept until the last token that it signed has expired.
struct SigningKey {
    std::string kid; ///< the thumbprint of RFC 7638
    std::variant<crypto::SigningKey, crypto::RsaSigningKey> key;
    std::string public_jwk; ///< JSON
    core::Time signs_from;
    std::optional<core::Time> retired_at; ///< when its successor starts to sign

    crypto::SignatureAlgorithm algorithm() const noexcept
    {
        return std::holds_alternative<crypto::SigningKey>(key) ? crypto::SignatureAlgorithm::es256
                                                               : crypto::SignatureAlgorithm::rs256;
    }

    /// The signed token in compact serialisation. `header`: the members other than `alg` and `kid`.
    std::string sign(boost::json::object header, boost::json::object const& payload) const;
};

/// The keys that sign, will sign, or may have signed a token that is still valid at `now`: those of ES256
/// first, and those of each algorithm in the order in which they start to sign. Throws std::runtime_error if
/// a stored key cannot be decrypted.
std::vector<SigningKey> list(pg::Tx& tx, crypto::Keyring const& keyring, core::Time now);

/// Creates a key of each algorithm that signs from `signs_from` on, and retires the other keys at that time.
/// An advisory lock serialises concurrent calls.
void rotate(pg::Tx& tx, crypto::Keyring const& keyring, core::Time now, core::Time signs_from);

/// Creates a key that signs at once for each algorithm without a key. If several replicas call it
/// concurrently, only one key of each algorithm is created.
void make_first(pg::Tx& tx, crypto::Keyring const& keyring, core::Time now);

/// Seals the private keys again under the keyring's first key. Returns the number of changed keys.
std::size_t reencrypt(pg::Tx& tx, crypto::Keyring const& keyring);

} // namespace auth_mfa::signing_keys
