#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "crypto/keyring.hpp"
#include "domain/credential.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The table `platforms`: a scope's configuration of each carrier. A row holds the credential (sealed), its
/// public members, and the state that follows from the carrier's answers. A refused credential pauses the
/// carrier for the scope (`paused_until`, `paused_reason`). Too many "token gone" answers stop pruning for
/// the credential (`pruning_stopped_at`).
namespace notify::carrier_configs {

/// A carrier's configuration as the API shows it.
struct CarrierConfig {
    Carrier carrier{};
    Credential::Shown shown;
    core::Time updated_at;
    std::optional<core::Time> paused_until; ///< may be in the past
    std::optional<std::string> paused_reason;
    std::optional<core::Time> pruning_stopped_at; ///< after this time, the carrier's answers remove no device
};

/// A carrier's configuration with the sealed credential, for sending.
struct Sealed {
    Carrier carrier{};
    std::string credential;
    core::Time updated_at; ///< by the database's clock; each stored credential has another value
    std::optional<core::Time> paused_until;
    std::optional<std::string> paused_reason;
    std::optional<core::Time> pruning_stopped_at;
};

/// The scope's configurations, in the order of their carriers.
std::vector<CarrierConfig> list(pg::Tx& tx, core::Scope const& scope);

/// As `list`, with the encrypted credentials. While another transaction replaces a credential, the call does
/// not wait and returns the old credential.
std::vector<Sealed> load(pg::Tx& tx, core::ScopeId scope_id);

/// As the other `load`, for one carrier of many scopes. Scopes without a configuration are left out.
std::map<core::ScopeId, std::shared_ptr<Sealed const>> load(
    pg::Tx& tx, Carrier carrier, std::span<core::ScopeId const> scopes);

/// The configuration of `carrier` among `configs`; null if there is none.
Sealed const* find(std::span<Sealed const> configs, Carrier carrier) noexcept;

/// Decrypts the credential of a configuration of this scope. Throws std::runtime_error if no key of the ring
/// decrypts the credential. The exception contains no part of the credential.
Credential::Ptr open(crypto::Keyring const& keyring, core::ScopeId scope_id, Sealed const& config);

/// Stores a credential and replaces the scope's credential for the same carrier, if any. Pruning starts
/// again. A pause of the carrier stays until `end_pause`.
void put(pg::Tx& tx, core::Scope const& scope, Credential const& credential, crypto::Keyring const& keyring);

/// Locks the scope's configuration of Web Push until the transaction ends, and returns its credential; null
/// if there is none. The transaction must then call `put`.
Credential::Ptr lock_vapid(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

/// The scope's current public key for Web Push; nullopt if the scope has none.
std::optional<std::string> find_public_key(pg::Tx& tx, core::Scope const& scope);

/// Returns the removed configuration, or nullopt if the scope had none for this carrier.
std::optional<CarrierConfig> remove(pg::Tx& tx, core::Scope const& scope, Carrier carrier);

/// Seals the scope's credentials again under the keyring's first key. Returns how many credentials changed.
/// For service::reencrypt_command.
std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

/// Pauses the carrier for the scope until `until`. A pause that is in effect at `now` stays unchanged. `seen`
/// is the `updated_at` of the refused credential. Returns false and changes nothing if that credential was
/// replaced.
bool pause(pg::Tx& tx, core::ScopeId scope_id, Carrier carrier, core::Time seen, std::string_view reason,
    core::Time now, core::Time until);

/// Whether the pause of the credential `seen` is in effect at `now`. If true, the row is locked, so the pause
/// cannot end before this transaction ends. So `end_pause` finds the pushes that this transaction leaves
/// waiting.
bool lock_paused(pg::Tx& tx, core::ScopeId scope_id, Carrier carrier, core::Time seen, core::Time now);

/// Ends the pause and enqueues the job that makes the waiting pushes due. Call this function in every
/// transaction that sets or removes the credential, even if there was no pause.
void end_pause(pg::Tx& tx, core::ScopeId scope_id, Carrier carrier);

/// The queue of resume jobs. A resume job makes the jobs of pushes due that waited for a paused carrier.
inline constexpr std::string_view resume_queue = "notify.resume";

/// The carrier that the `ref` of a resume job names.
Carrier resumed_carrier(core::Uuid const& ref) noexcept;

/// From `now` until another credential is stored, the carrier's answers no longer remove devices. If pruning
/// is already stopped, the stored time stays. Changes nothing if the credential whose `updated_at` is `seen`
/// was replaced.
void stop_pruning(pg::Tx& tx, core::ScopeId scope_id, Carrier carrier, core::Time seen, core::Time now);

} // namespace notify::carrier_configs
