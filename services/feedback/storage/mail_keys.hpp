#pragma once

#include "core/scope.hpp"
#include "crypto/keyring.hpp"
#include "domain/mail_key.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string_view>

/// The table `mail_keys`: the key of each scope for its emails. The keyring encrypts the keys.
namespace feedback::mail_keys {

/// Why a key is missing that a scope has.
inline constexpr std::string_view undecryptable_reason =
    "a key for emails cannot be decrypted. Check ENCRYPTION_KEYS.";

/// The scope's key; nullopt if it has none. Throws std::runtime_error if the keyring cannot decrypt it.
std::optional<MailKey> find(pg::Tx& tx, core::ScopeId scope_id, crypto::Keyring const& keyring);

/// The keys of these scopes. A scope without a key gets one. A key that the keyring cannot decrypt is not in
/// the result.
std::map<core::ScopeId, MailKey> ensure(
    pg::Tx& tx, std::span<core::ScopeId const> scope_ids, crypto::Keyring const& keyring);

/// Encrypts the scope's key with the keyring's first key (service::Reencrypt).
std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

} // namespace feedback::mail_keys
