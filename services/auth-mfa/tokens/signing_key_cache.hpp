#pragma once

#include "core/clock.hpp"
#include "crypto/keyring.hpp"
#include "storage/signing_keys.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace pg {
class Database;
}

namespace auth_mfa {

/// The signing keys of tokens, as this replica last read them. Thread-safe.
class SigningKeyCache {
public:
    /// `clock` must outlive this object.
    explicit SigningKeyCache(core::Clock const& clock) : clock_(clock) {}

    /// Reads the keys from the database, and creates a first key of each algorithm. Returns the key set to
    /// publish (JSON). Throws if the keys cannot be read. Blocks the calling thread. auth::Jwks
    /// calls `load` as its source (service::TokenIssuer::own).
    std::string load(pg::Database& database, crypto::Keyring const& keyring);

    /// The key that signs with this algorithm now; null until `load` has succeeded.
    std::shared_ptr<signing_keys::SigningKey const> current(
        crypto::SignatureAlgorithm algorithm = crypto::SignatureAlgorithm::es256) const;

    /// The key set as it was last read (JSON); empty before the first read.
    std::string jwks() const;

private:
    core::Clock const& clock_;
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<signing_keys::SigningKey const>>
        keys_; ///< in the order in which they begin to sign
    std::string jwks_;
};

} // namespace auth_mfa
