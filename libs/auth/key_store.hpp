#pragma once

#include "auth/keys.hpp"
#include "core/id.hpp"
#include "crypto/hash.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The SQL of `api_keys` and `api_key_scopes`. The caller owns the transaction, which sees the scope named.
namespace auth::key_store {

/// What a look-up by hash finds of a key that was not revoked.
struct Found {
    std::int64_t scope_id = 0;
    std::string prefix;
    std::string kind;
    std::optional<core::Time> expires_at;
};

/// A key's record, as it is listed.
struct Record {
    core::Uuid id;
    std::string prefix;
    std::string kind;
    core::Time created_at;
    std::optional<core::Time> last_used_at;
    std::optional<core::Time> expires_at;
};

struct Minted {
    std::string key; ///< the raw key: answered once, never stored
    core::Time created_at;
};

/// A use to be written.
struct Use {
    std::int64_t scope_id = 0;
    std::string prefix;
    core::Time at;
};

/// One result per hash, in their order.
pg::Batch<std::optional<Found>> find(pg::Session& session, std::span<crypto::Digest const> hashes);

/// Makes and stores a new key. Takes the scope's lock, so that keys appear in the order of their times.
Minted insert(pg::Tx& tx, std::int64_t scope_id, KeyKind const& kind);

/// Revokes one key that works at `now`; false when there is none of that prefix.
bool revoke(pg::Tx& tx, std::int64_t scope_id, std::string_view prefix, core::Time now);

/// Ends every working key of `kind` but `except`: at `now` when `end` is not later, else at `end` unless it
/// ends sooner already. Answers their prefixes.
std::vector<std::string> end_others(pg::Tx& tx, std::int64_t scope_id, std::string_view kind,
    std::string_view except, core::Time now, core::Time end);

/// The keys that work at `now`, newest first, strictly after `after` if given.
std::vector<Record> list(pg::Tx& tx, std::int64_t scope_id, core::Time now,
    std::optional<paging::Position> const& after, std::size_t limit);

/// Moves `last_used_at` forward. Rows that someone else is writing are left to them.
void touch(pg::Tx& tx, std::span<Use const> uses);

} // namespace auth::key_store
