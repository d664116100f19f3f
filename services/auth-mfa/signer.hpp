#pragma once

#include "core/clock.hpp"
#include "crypto/jwt.hpp"
#include "crypto/keyring.hpp"
#include "pg/database.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace auth_mfa {

/// The signing keys of access tokens, as this replica last read them. Thread-safe.
class Signer {
public:
    /// `clock` must outlive this object.
    explicit Signer(core::Clock const& clock) : clock_(clock) {}

    /// Reads the keys from the database, and creates the first key if there is none. Returns the key set to
    /// publish (JSON). Throws if the keys cannot be read. Blocks the calling thread. auth::Jwks
    /// calls `load` as its source (service::TokenIssuer::own).
    std::string load(pg::Database& database, crypto::Keyring const& keyring);

    struct Key {
        std::string kid;
        crypto::SigningKey key;
        core::Time signs_from;
        std::optional<core::Time> retired_at;
    };

    /// The key that signs now; null until `load` has succeeded.
    std::shared_ptr<Key const> current() const;

    /// The key set as it was last read (JSON); empty before the first read.
    std::string jwks() const;

private:
    core::Clock const& clock_;
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<Key const>> keys_; ///< in the order in which they begin to sign
    std::string jwks_;
};

} // namespace auth_mfa
