#pragma once

#include "auth/api_keys.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "crypto/hash.hpp"
#include "paging/cursor.hpp"
#include "pg/batch.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The SQL of `api_keys` and `api_key_scopes`. The caller owns the transaction, which must see the given
/// scope.
namespace auth::api_key_rows {

/// The result of a look-up by hash, for a key that is not revoked.
struct Found {
    core::ScopeId scope_id{};
    std::string prefix;
    std::string kind;
    std::optional<core::Time> expires_at;
};

/// A key's record in lists.
struct Record {
    core::Uuid id;
    std::string prefix;
    std::string kind;
    core::Time created_at;
    std::optional<core::Time> last_used_at;
    std::optional<core::Time> expires_at;
};

struct Minted {
    std::string key; ///< the raw key: returned once, never stored
    core::Time created_at;
};

/// A use of a key, to be stored as `last_used_at`.
struct Use {
    core::ScopeId scope_id{};
    std::string prefix;
    core::Time at;
};

/// Looks up keys by their SHA-256. Returns one result per hash, in the order of `hashes`. A result is nullopt
/// if the key is unknown or revoked.
pg::Batch<std::optional<Found>> find(pg::BatchConnection& connection, std::span<crypto::Digest const> hashes);

/// Creates and stores a new key. Takes the scope's lock, so that keys become visible in the order of
/// `created_at`.
Minted insert(pg::Tx& tx, core::ScopeId scope_id, ApiKeyKind const& kind);

/// Revokes the key with this prefix if the key is valid at `now`. Returns false if no valid key has this
/// prefix.
bool revoke(pg::Tx& tx, core::ScopeId scope_id, std::string_view prefix, core::Time now);

/// Ends every valid key of `kind` except the key `except`. If `end` is after `now`, the keys expire at `end`,
/// or at their present expiry if that is earlier. Otherwise the keys are revoked at `now`. Returns the
/// prefixes of these keys.
std::vector<std::string> end_others(pg::Tx& tx, core::ScopeId scope_id, std::string_view kind,
    std::string_view except, core::Time now, core::Time end);

/// Returns at most `limit` keys that are valid at `now`, newest first. If `after` is given, the list begins
/// after that position.
std::vector<Record> list(pg::Tx& tx, core::ScopeId scope_id, core::Time now,
    std::optional<paging::Position> const& after, std::size_t limit);

/// Sets `last_used_at` of each key to the time of its use, unless a later time is stored. Skips rows that
/// another transaction has locked.
void touch(pg::Tx& tx, std::span<Use const> uses);

} // namespace auth::api_key_rows
