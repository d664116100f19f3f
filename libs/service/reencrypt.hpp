#pragma once

#include "core/scope.hpp"
#include "crypto/keyring.hpp"
#include "pg/tx.hpp"
#include "service/run.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace service {

/// Re-encrypts the secrets that one part of the service stores for a scope, with the keyring's first key.
/// Returns the number of changed secrets.
using Reencrypt = std::function<std::size_t(pg::Tx&, core::Scope const&, crypto::Keyring const&)>;

/// Re-encrypts secrets of the service that belong to no scope. Returns the number of changed secrets.
using ReencryptShared = std::function<std::size_t(pg::Tx&, crypto::Keyring const&)>;

/// The command `reencrypt`: runs every part for every scope, with one transaction per scope, then the shared
/// parts. Also re-encrypts the ids of erased users (`user_data::reencrypt`). Run it after every replica has
/// the new key first in ENCRYPTION_KEYS. Afterwards the old key encrypts only responses stored for an
/// Idempotency-Key, which expire within a day. The old key must not be removed before the values that it has
/// signed have expired; docs/operations/secrets.md lists these values. The command may run while the service
/// runs, and may be repeated.
Command reencrypt_command(std::vector<Reencrypt> parts, std::vector<ReencryptShared> shared = {});

} // namespace service
