#pragma once

#include "domain/erasure.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The tables `erasures` and `erasure_targets`.
namespace auth_mfa::erasures {

/// The queue of the rest of an erasure in this service. The request that deletes the account erases it, too,
/// so the job begins some time later. Jobs of all queues have the erasure's id as their ref.
inline constexpr char const* queue = "erasures";

/// The queue of a target.
std::string queue_of(ErasureService service);

/// Stores an erasure with these targets and enqueues its jobs. Returns its id. Takes the scope's lock
/// (pg::lock_scope), so that no list cursor can skip it.
core::Uuid insert(
    pg::Tx& tx, core::Scope const& scope, UserId user_id, std::span<ErasureService const> targets);

std::optional<Erasure> find(pg::Tx& tx, core::Scope const& scope, core::Uuid const& id);

/// The erasures, newest first, starting after `after`.
std::vector<Erasure> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit);

/// Records that nothing of the user is left in this service. Withdraws the job of `queue` if no worker has
/// begun it.
void set_erased(pg::Tx& tx, core::Scope const& scope, core::Uuid const& id, core::Time now);

/// The result of an attempt to reach a target.
struct Attempt {
    ErasureStatus status = ErasureStatus::pending;
    std::optional<std::string> error;
};

/// Records an attempt of a pending target.
void record_attempt(pg::Tx& tx, core::Scope const& scope, core::Uuid const& id, ErasureService service,
    Attempt const& attempt, core::Time now);

/// How long an erasure is shown, from the deletion of the account. It contains the user's id.
inline constexpr std::chrono::days retention{90};

/// Deletes at most `limit` erasures of `scopes` that were requested before `before`, together with their
/// targets. Erasures that are not complete stay until every target is `done` or `failed`. Returns the number
/// of deleted erasures.
std::size_t purge(pg::Tx& tx, std::vector<core::ScopeId> const& scopes, core::Time before, std::size_t limit);

} // namespace auth_mfa::erasures
