#pragma once

#include "core/clock.hpp"
#include "core/identity.hpp"
#include "crypto/keyring.hpp"
#include "pg/database.hpp"
#include "providers/credential.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The table `platforms`: with what a scope may push through each carrier. The credential is sealed; beside
/// it stands what may be shown. Its pause, and the end of pruning, are the business of
/// storage/platform_state.hpp.
namespace notify::platforms {

/// A platform as it is shown.
struct Platform {
    PlatformKind kind{};
    Credential::Shown shown;
    core::Time updated_at;
    std::optional<core::Time> paused_until; ///< may have passed
    std::optional<std::string> paused_reason;
    std::optional<core::Time> pruning_stopped_at; ///< since when its word removes no device
};

/// A platform as it is pushed through.
struct Sealed {
    PlatformKind kind{};
    std::string credential;
    core::Time updated_at; ///< differs for each credential that was ever put there; the database's clock
    std::optional<core::Time> paused_until;
    std::optional<std::string> paused_reason;
    std::optional<core::Time> pruning_stopped_at;
};

/// In the order of their kinds.
std::vector<Platform> list(pg::Tx& tx, core::Scope const& scope);

/// The same to push through. One that is being replaced is read as it was.
std::vector<Sealed> load(pg::Tx& tx, std::int64_t scope_id);

/// The credential of a platform of that scope. Throws std::runtime_error, without anything of it, when no key
/// of the ring opens it.
Credential::Ptr open(crypto::Keyring const& keyring, std::int64_t scope_id, Sealed const& platform);

/// Puts a credential in the place of the one of its kind, if there is one. Pruning begins anew. The pause
/// stays as it was: platform_state::resume ends it.
void put(pg::Tx& tx, core::Scope const& scope, Credential const& credential, crypto::Keyring const& keyring);

/// What was removed; nullopt when there was none.
std::optional<Platform> remove(pg::Tx& tx, core::Scope const& scope, PlatformKind kind);

/// Seals the scope's credentials anew under the keyring's first key; yields how many changed. For
/// service::reencrypt_verb.
std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

} // namespace notify::platforms
