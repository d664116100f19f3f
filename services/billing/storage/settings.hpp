#pragma once

#include "core/scope.hpp"
#include "crypto/keyring.hpp"
#include "domain/settings.hpp"
#include "pg/tx.hpp"

#include <cstddef>

/// The stored settings of a tenant. billing/domain/settings.hpp describes the document.
namespace billing::settings {

/// The settings that decide access, of the tenant of `scope`. The transaction must see the tenant's
/// production scope.
AccessSettings read_access_settings(pg::Tx& tx, core::Scope const& scope);

/// Seals the secrets of a tenant again under the keyring's first key. `scope` is any scope; only a production
/// scope has secrets. Returns how many secrets changed. For service::reencrypt_command.
std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

} // namespace billing::settings
