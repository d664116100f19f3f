#pragma once

#include "core/clock.hpp"
#include "crypto/jwt.hpp"
#include "crypto/keyring.hpp"
#include "pg/database.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

/// The table `signing_keys`, which the whole service shares: no scope is seen.
namespace auth_mfa::signing_keys {

/// A key from its making until the last token it signed has expired.
struct SigningKey {
    std::string kid; ///< the thumbprint of RFC 7638
    crypto::SigningKey key;
    std::string public_jwk; ///< JSON
    core::Time signs_from;
    std::optional<core::Time> retired_at; ///< from when its successor signs
};

/// The keys that sign or whose tokens may still be good at `now`, in the order in which they begin to sign.
/// Throws std::runtime_error when one was sealed under an encryption key that is not held.
std::vector<SigningKey> list(pg::Tx& tx, crypto::Keyring const& keyring, core::Time now);

/// Makes a key that signs from `signs_from` on, and retires the others then. Those who make keys take turns.
void rotate(pg::Tx& tx, crypto::Keyring const& keyring, core::Time now, core::Time signs_from);

/// The same unless there is a key already; for all who find none, one is made.
void make_first(pg::Tx& tx, crypto::Keyring const& keyring, core::Time now);

/// Seals the private keys anew under the keyring's first key; answers how many changed.
std::size_t reencrypt(pg::Tx& tx, crypto::Keyring const& keyring);

} // namespace auth_mfa::signing_keys
