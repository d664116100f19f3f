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

/// The keys that access tokens are signed with, as this replica last read them. Safe from any thread.
class Signer {
public:
    /// `clock` outlives this object.
    explicit Signer(core::Clock const& clock) : clock_(clock) {}

    /// Reads the keys, making the first one when there is none, and answers the key set to publish. Blocks:
    /// the source of an auth::Jwks (service::TokenIssuer::own).
    std::string load(pg::Database& database, crypto::Keyring const& keyring);

    struct Key {
        std::string kid;
        crypto::SigningKey key;
        core::Time signs_from;
        std::optional<core::Time> retired_at;
    };

    /// The key that signs now; null until `load` has worked.
    std::shared_ptr<Key const> current() const;

    /// The key set as it was last read; empty until then.
    std::string jwks() const;

private:
    core::Clock const& clock_;
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<Key const>> keys_; ///< in the order in which they begin to sign
    std::string jwks_;
};

} // namespace auth_mfa
