#pragma once

#include "core/clock.hpp"
#include "crypto/keyring.hpp"
#include "domain/user_id.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// The table `totp`. The functions run in the caller's transaction, which must be open
/// for the scope: row-level security hides the rows of other scopes.
namespace auth_mfa::totp_seeds {

struct TotpSeed {
    std::string sealed_seed;
    bool confirmed = false;
    std::int64_t last_step = -1;
};

/// `seal` encrypts a user's seed, and `open` decrypts it. `open` throws std::runtime_error if the seed cannot
/// be decrypted.
std::string seal(
    crypto::Keyring const& keyring, core::Scope const& scope, UserId user_id, std::string const& seed);
std::string open(
    crypto::Keyring const& keyring, core::Scope const& scope, UserId user_id, std::string const& sealed_seed);

std::optional<TotpSeed> find(pg::Tx& tx, core::Scope const& scope, UserId user_id);

/// Stores an unconfirmed seed, in place of an earlier unconfirmed one. False if a confirmed seed exists.
bool set_up(
    pg::Tx& tx, core::Scope const& scope, UserId user_id, std::string const& sealed_seed, core::Time now);

/// Confirms the seed and marks `step` as used. False if `sealed_seed` is no longer the unconfirmed seed.
bool confirm(pg::Tx& tx, core::Scope const& scope, UserId user_id, std::string const& sealed_seed,
    std::int64_t step, core::Time now);

/// Marks a step as used; false if this step or a later one is already used.
bool use(pg::Tx& tx, core::Scope const& scope, UserId user_id, std::int64_t step);

void remove(pg::Tx& tx, core::Scope const& scope, UserId user_id);

/// Seals every seed of the scope again under the keyring's first key. Returns the number of changed seeds.
/// For service::reencrypt_command.
std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

} // namespace auth_mfa::totp_seeds
