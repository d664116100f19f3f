#pragma once

#include "core/clock.hpp"
#include "crypto/jwt.hpp"
#include "crypto/keyring.hpp"
#include "pg/tx.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

/// The table `signing_keys`. The keys belong to no tenant, so transactions need no scope.
namespace auth_mfa::signing_keys {

/// A signing key. It is kept until the last token that it signed has expired.
struct SigningKey {
    std::string kid; ///< the thumbprint of RFC 7638
    crypto::SigningKey key;
    std::string public_jwk; ///< JSON
    core::Time signs_from;
    std::optional<core::Time> retired_at; ///< when its successor starts to sign
};

/// The keys that sign, will sign, or may have signed a token that is still valid at `now`, ordered by the
/// time when they start to sign. Throws std::runtime_error if a stored key cannot be decrypted.
std::vector<SigningKey> list(pg::Tx& tx, crypto::Keyring const& keyring, core::Time now);

/// Creates a key that signs from `signs_from` on, and retires the other keys at that time. An advisory lock
/// serialises concurrent calls.
void rotate(pg::Tx& tx, crypto::Keyring const& keyring, core::Time now, core::Time signs_from);

/// Creates a key that signs at once, unless a key exists. If several replicas call it concurrently, only one
/// key is created.
void make_first(pg::Tx& tx, crypto::Keyring const& keyring, core::Time now);

/// Seals the private keys again under the keyring's first key. Returns the number of changed keys.
std::size_t reencrypt(pg::Tx& tx, crypto::Keyring const& keyring);

} // namespace auth_mfa::signing_keys
