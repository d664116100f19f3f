#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "crypto/hash.hpp"
#include "pg/batch.hpp"
#include "pg/sql.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The SQL of the table `erased_users`, which has no row-level security.
namespace auth::erased_user_rows {

/// The key of the table: the SHA-256 of the scope's id and the user's id.
crypto::Digest hash_of(core::ScopeId scope_id, std::string_view user_id);

struct NewRow {
    core::ScopeId scope_id{};
    crypto::Digest user_hash{};
    core::Uuid erasure_id;
    std::string sealed_user_id;
    core::Time refuse_until;
};

/// Adds the user. Returns false and changes nothing if the user was added before. The commit notifies
/// `ErasedUsers::channel`.
bool insert(pg::Tx& tx, NewRow const& row);

struct Pending {
    core::ScopeId scope_id{};
    std::string sealed_user_id;
};

/// Finds the user that the erasure with this id must erase a second time. Returns nullopt if the second
/// erasure is complete.
std::optional<Pending> find_pending(pg::Tx& tx, core::Uuid const& erasure_id);

struct PendingInScope {
    core::Uuid erasure_id;
    std::string sealed_user_id;
};

/// The users of the scope who must be erased a second time. Locks the rows.
std::vector<PendingInScope> lock_pending(pg::Tx& tx, core::ScopeId scope_id);

/// Replaces the encrypted id of a user.
void reseal(pg::Tx& tx, core::Uuid const& erasure_id, std::string const& sealed_user_id);

/// Records that the second erasure is complete: the user's id is no longer stored.
void finish(pg::Tx& tx, core::Uuid const& erasure_id);

struct Refusal {
    crypto::Digest user_hash{};
    core::Time until;
};

/// At most `limit` of the users whose tokens are refused after `now`.
std::vector<Refusal> list_refused(pg::Tx& tx, core::Time now, std::size_t limit);

/// For each hash, until when the user's tokens are refused; nullopt if the user was not erased.
pg::Batch<std::optional<core::Time>> find_refusals(
    pg::BatchConnection& connection, std::span<crypto::Digest const> hashes);

/// SQL: whether the account of the user `u.user_id` of the scope `u.scope_id` was deleted, as `were_erased`.
/// For statements that write rows of many users: `u` is e.g. an `unnest`. Costs one look-up in the primary
/// key.
inline constexpr auto is_erased = pg::sql(R"(((
            SELECT true
            FROM erased_users e
            WHERE e.user_hash = sha256(convert_to(u.scope_id || ':' || u.user_id, 'UTF8'))
        ) IS TRUE))");

/// Which of the users were erased because their account was deleted, at any time.
std::vector<bool> were_erased(pg::Tx& tx, core::ScopeId scope_id, std::span<std::string const> user_ids);

} // namespace auth::erased_user_rows
