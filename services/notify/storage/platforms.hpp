#pragma once

#include "core/clock.hpp"
#include "core/identity.hpp"
#include "crypto/keyring.hpp"
#include "domain/credential.hpp"
#include "pg/database.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The table `platforms`: a scope's credential for each carrier, sealed, and its public members. Pause and
/// pruning state are changed by storage/platform_state.hpp.
namespace notify::platforms {

/// A platform as the API shows it.
struct Platform {
    PlatformKind kind{};
    Credential::Shown shown;
    core::Time updated_at;
    std::optional<core::Time> paused_until; ///< may be in the past
    std::optional<std::string> paused_reason;
    std::optional<core::Time> pruning_stopped_at; ///< after this time, the carrier's answers remove no device
};

/// A platform with its sealed credential, for sending.
struct Sealed {
    PlatformKind kind{};
    std::string credential;
    core::Time updated_at; ///< by the database's clock; each stored credential has another value
    std::optional<core::Time> paused_until;
    std::optional<std::string> paused_reason;
    std::optional<core::Time> pruning_stopped_at;
};

/// The scope's platforms, in the order of their kinds.
std::vector<Platform> list(pg::Tx& tx, core::Scope const& scope);

/// As `list`, with the encrypted credentials. While another transaction replaces a credential, the call does
/// not wait and returns the old credential.
std::vector<Sealed> load(pg::Tx& tx, std::int64_t scope_id);

/// Decrypts the credential of a platform of this scope. Throws std::runtime_error if no key of the ring
/// decrypts the credential. The exception contains no part of the credential.
Credential::Ptr open(crypto::Keyring const& keyring, std::int64_t scope_id, Sealed const& platform);

/// Stores a credential and replaces the scope's credential of the same kind, if any. Pruning starts again. A
/// pause of the platform stays until platform_state::resume ends it.
void put(pg::Tx& tx, core::Scope const& scope, Credential const& credential, crypto::Keyring const& keyring);

/// Returns the removed platform, or nullopt if the scope had no platform of this kind.
std::optional<Platform> remove(pg::Tx& tx, core::Scope const& scope, PlatformKind kind);

/// Seals the scope's credentials again under the keyring's first key. Returns how many credentials changed.
/// For service::reencrypt_verb.
std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

} // namespace notify::platforms
