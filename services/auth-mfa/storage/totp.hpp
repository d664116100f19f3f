#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "crypto/keyring.hpp"
#include "pg/database.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// The table `totp`. The caller owns the transaction, which sees the scope.
namespace auth_mfa::totps {

struct Totp {
    std::string sealed_seed;
    bool confirmed = false;
    std::int64_t last_step = -1;
};

/// Seals a new seed for the user, and opens one. `open` throws when no key of the ring does.
std::string seal(
    crypto::Keyring const& keyring, core::Scope const& scope, core::Uuid user_id, std::string const& seed);
std::string open(crypto::Keyring const& keyring, core::Scope const& scope, core::Uuid user_id,
    std::string const& sealed_seed);

std::optional<Totp> find(pg::Tx& tx, core::Scope const& scope, core::Uuid user_id);

/// Keeps a seed that is not in force yet, in the place of another such. False: one is in force.
bool set_up(
    pg::Tx& tx, core::Scope const& scope, core::Uuid user_id, std::string const& sealed_seed, core::Time now);

/// Puts the seed in force and uses `step` up. False when it is not (any more) the one that was set up.
bool confirm(pg::Tx& tx, core::Scope const& scope, core::Uuid user_id, std::string const& sealed_seed,
    std::int64_t step, core::Time now);

/// Uses a step up; false when it, or a later one, has been used.
bool use(pg::Tx& tx, core::Scope const& scope, core::Uuid user_id, std::int64_t step);

void remove(pg::Tx& tx, core::Scope const& scope, core::Uuid user_id);

/// Seals every seed of the scope anew under the keyring's first key; answers how many changed. For
/// service::reencrypt_verb.
std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

} // namespace auth_mfa::totps
