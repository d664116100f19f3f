#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "crypto/keyring.hpp"
#include "domain/domain_records.hpp"
#include "domain/email.hpp"
#include "pg/database.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// The tables `email_domains`, one row a scope, and `domain_claims`, which says over all tenants whose a
/// verified domain is. The caller owns the transaction, which sees the scope.
namespace notify::domains {

/// The custom domain of a scope.
struct EmailDomain {
    core::Uuid id; ///< another one when another domain takes its place
    std::string domain;
    std::string from_email, from_name;
    std::string token, selector, public_key; ///< DomainSetup
    DomainStatus status = DomainStatus::pending;
    RecordChecks checks; ///< when DNS was last asked
    core::Time created_at;
    std::optional<core::Time> checked_at, verified_at;
};

std::optional<EmailDomain> find(pg::Tx& tx, core::Scope const& scope);

/// The same, locked until the transaction ends, and with it the scope's lock, so that there is one change at
/// a time even where there is no row yet.
std::optional<EmailDomain> lock(pg::Tx& tx, core::Scope const& scope);

/// Puts a domain in the place of whatever the scope had.
void put(pg::Tx& tx, core::Scope const& scope, EmailDomain const& domain, std::string const& sealed_key);

/// Writes what may change of a domain: whom it sends as, status, checks and their times.
void update(pg::Tx& tx, core::Scope const& scope, EmailDomain const& domain);

void remove(pg::Tx& tx, core::Scope const& scope);

/// Whether a tenant other than the scope's holds the domain.
bool is_claimed_elsewhere(pg::Tx& tx, core::Scope const& scope, std::string const& domain);

/// Claims a domain for the scope's tenant; false when another holds it.
[[nodiscard]] bool claim(pg::Tx& tx, core::Scope const& scope, std::string const& domain, core::Time now);

/// Gives up the claim unless the tenant's other environment has the domain verified. After the scope's own
/// row has changed; the transaction sees both of the tenant's scopes (`both_environments`).
void release(pg::Tx& tx, core::Scope const& scope, std::string const& domain);

/// What a transaction that may release a claim has to see.
pg::Scopes both_environments(core::Scope const& scope);

/// Seals the private key of a scope's domain.
std::string seal(crypto::Keyring const& keyring, core::Scope const& scope, std::string const& domain,
    core::Secret const& private_key);

/// Whom a scope's email is from, with the key that signs it; nullopt while it has no verified domain. Throws
/// when no key of the ring opens the private key.
std::optional<EmailSender> sender(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

/// Seals the scope's private key anew under the keyring's first key; yields how many changed. For
/// service::reencrypt_verb.
std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

} // namespace notify::domains
