#pragma once

#include "core/scope.hpp"
#include "domain/passkey.hpp"
#include "pg/batch.hpp"
#include "pg/tx.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The table `passkeys`. The functions run in the caller's transaction, which must be open
/// for the scope: row-level security hides the rows of other scopes.
namespace auth_mfa::passkeys {

/// Stores the passkey. False if the environment already has a passkey with this credential id, of this user
/// or another. The user must be locked.
bool insert(pg::Tx& tx, core::Scope const& scope, Passkey const& passkey);

/// The key of a passkey.
struct Key {
    core::ScopeId scope_id{};
    std::string credential_id;
};

/// Finds the passkeys of many callers in one statement; for a Batcher.
pg::Batch<std::optional<Passkey>> find_batch(pg::BatchConnection& connection, std::span<Key const> keys);

/// The passkey with this credential id; nullopt if there is none.
std::optional<Passkey> find(pg::Tx& tx, core::Scope const& scope, std::string_view credential_id);

/// The user's passkeys, oldest first. A user has at most `max_passkeys`.
std::vector<Passkey> list(pg::Tx& tx, core::Scope const& scope, UserId user_id);

/// Records that the passkey signed at `now`, and stores its new state. False, without a change, if the
/// passkey was removed, or if another assertion has counted as far as this one: both counters are 0 for
/// authenticators that do not count.
bool use(pg::Tx& tx, core::Scope const& scope, core::Uuid passkey_id, webauthn::AssertionResult const& result,
    core::Time now);

/// An assertion that was verified.
struct Use {
    core::ScopeId scope_id{};
    core::Uuid passkey_id;
    webauthn::AssertionResult result;
    core::Time now;
};

/// As `use`, for many callers in one statement; for a Batcher. Of several uses of one passkey in a batch, one
/// is stored and the others return false.
pg::Batch<bool> use_batch(pg::BatchConnection& connection, std::span<Use const> uses);

/// Removes a passkey of the user. False if the user has no such passkey.
bool remove(pg::Tx& tx, core::Scope const& scope, UserId user_id, core::Uuid passkey_id);

void remove_all(pg::Tx& tx, core::Scope const& scope, UserId user_id);

} // namespace auth_mfa::passkeys
