#pragma once

#include "core/identity.hpp"
#include "crypto/keyring.hpp"
#include "pg/database.hpp"
#include "service/run.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace service {

/// Seals what a part of a scope keeps anew under the keyring's first key; yields how many values changed.
using Reencrypt = std::function<std::size_t(pg::Tx&, core::Scope const&, crypto::Keyring const&)>;

/// The same for what the service keeps of its own, in no scope.
using ReencryptShared = std::function<std::size_t(pg::Tx&, crypto::Keyring const&)>;

/// The verb `reencrypt`: runs every part over every scope, one transaction a scope, then what is shared. Run
/// it after every replica has the new key in front of ENCRYPTION_KEYS. Then the old key seals nothing but
/// answers that are kept for an Idempotency-Key, for a day; what it has signed, and so when it can go, is in
/// deploy/secrets.md. May run while the service serves, and again.
Verb reencrypt_verb(std::vector<Reencrypt> parts, std::vector<ReencryptShared> shared = {});

} // namespace service
