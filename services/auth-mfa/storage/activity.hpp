#pragma once

#include "domain/activity.hpp"
#include "domain/user_id.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <optional>
#include <vector>

/// The table `activity`: what happened to each account.
namespace auth_mfa::activity {

/// Stores the entry under `entry.id`; the database sets its time. Does nothing if there is no such user. Lock
/// the user first, so that a list cursor cannot miss the entry.
void insert(pg::Tx& tx, core::Scope const& scope, UserId user_id, Activity const& entry);

/// The user's entries, newest first, starting after `after`.
std::vector<Activity> list(pg::Tx& tx, core::Scope const& scope, UserId user_id,
    std::optional<paging::Position> const& after, std::size_t limit);

/// How long entries are kept.
inline constexpr std::chrono::days retention{90};

/// Deletes at most `limit` entries of `scopes` that are older than `before`. Returns the number of deleted
/// entries.
std::size_t purge(pg::Tx& tx, std::vector<core::ScopeId> const& scopes, core::Time before, std::size_t limit);

} // namespace auth_mfa::activity
