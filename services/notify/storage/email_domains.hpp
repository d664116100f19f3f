#pragma once

#include "core/clock.hpp"
#include "crypto/keyring.hpp"
#include "domain/email_domain.hpp"
#include "mail/message.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

/// The tables `email_domains` (at most one row per scope) and `domain_claims` (the tenant that holds a
/// verified domain). The caller owns the transaction, which must see the scope.
namespace notify::email_domains {

std::optional<EmailDomain> find(pg::Tx& tx, core::Scope const& scope);

/// As `find`, but takes the scope's lock until the transaction ends. So changes are serialised even if the
/// scope has no domain.
std::optional<EmailDomain> lock(pg::Tx& tx, core::Scope const& scope);

/// Stores `domain` as the scope's domain. Replaces the previous domain, if there was one.
void put(pg::Tx& tx, core::Scope const& scope, EmailDomain const& domain, std::string const& sealed_key);

/// Writes the members of a domain that can change: sender, state, checks and their times.
void update(pg::Tx& tx, core::Scope const& scope, EmailDomain const& domain);

void remove(pg::Tx& tx, core::Scope const& scope);

/// Whether another tenant holds the domain.
bool is_claimed_elsewhere(pg::Tx& tx, core::Scope const& scope, std::string const& domain);

/// Claims a domain for the scope's tenant. Returns false if another tenant holds the domain.
[[nodiscard]] bool claim(pg::Tx& tx, core::Scope const& scope, std::string const& domain, core::Time now);

/// Releases the tenant's claim, unless the tenant's other environment has verified the domain. Call this
/// function after the scope's own row has changed; the transaction must see both of the tenant's scopes
/// (`pg::Scopes::of_tenant`).
void release(pg::Tx& tx, core::Scope const& scope, std::string const& domain);

/// Seals the private key of a scope's domain.
std::string seal(crypto::Keyring const& keyring, core::Scope const& scope, std::string const& domain,
    core::Secret const& private_key);

/// The error text for a private key that no key of the ring decrypts.
inline constexpr char const* undecryptable_key = "a DKIM key cannot be decrypted: ENCRYPTION_KEYS lacks the "
                                                 "key that encrypted it, or the stored value was "
                                                 "changed";

/// The senders of the email of these scopes, with the keys that sign the email. Scopes without a verified
/// domain are left out. nullopt: no key of the ring decrypts the scope's private key.
std::map<core::ScopeId, std::optional<mail::CustomSender>> senders(
    pg::Tx& tx, std::span<core::Scope const> scopes, crypto::Keyring const& keyring);

/// Seals the scope's private key again under the keyring's first key. Returns how many keys changed. For
/// service::reencrypt_command.
std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

} // namespace notify::email_domains
