#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "pg/tx.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

/// The retention of notifications and broadcasts. A function processes a few rows of several scopes, which
/// the transaction must see. It skips rows that another transaction has locked, and never waits for them.
namespace notify::retention {

/// The setting of a scope: the number of days after which a notification or broadcast is deleted.
inline constexpr std::string_view setting = "notificationRetentionDays";
inline constexpr std::int64_t default_days = 90, min_days = 1, max_days = 3650;

/// How long the content of a finished notification or broadcast is kept. It may be a one-time code.
inline constexpr std::chrono::days content_retention{7};

/// A place in the order in which a purge visits the rows of a scope.
struct Position {
    core::Time at{};
    core::Uuid id{};
};

/// A scope, and its retention.
struct Scope {
    core::ScopeId id{};
    core::Time before;   ///< rows that were created before this time are deleted
    Position after = {}; ///< rows up to this position were visited by earlier steps of the run
};

/// The scopes with their retention at `now`.
std::vector<Scope> scopes_of(pg::Tx& tx, std::vector<core::ScopeId> const& scopes, core::Time now);

/// What a step processes.
struct Step {
    std::vector<Scope> scopes;
    std::size_t rows = 0;  ///< maximum number of notifications or broadcasts of each scope that are visited
    std::size_t files = 0; ///< maximum number of files, of all scopes together
    core::Time now;
};

struct Purged {
    std::size_t rows = 0;
    /// The scopes that may have more rows to visit, and the position after which the next step visits them.
    std::map<core::ScopeId, Position> unfinished;
};

/// Erases the subjects, bodies and data of notifications that were finished `content_retention` ago, and
/// deletes their files that came with the request. Skips notifications that still have a job, such as a push
/// that is repeated for some devices.
Purged erase_contents(pg::Tx& tx, Step const& step);

/// Deletes finished notifications that were created, and queued again if they were retried, before the
/// retention. Deletes their deliveries, history and files too, and uploads that no other notification uses.
/// Skips notifications that still have a job.
Purged delete_notifications(pg::Tx& tx, Step const& step);

/// Erases the titles and bodies of broadcasts that were completed `content_retention` ago.
Purged erase_broadcast_contents(pg::Tx& tx, Step const& step);

/// Deletes complete broadcasts that were created before the retention, and their claims of dedupe keys.
Purged delete_broadcasts(pg::Tx& tx, Step const& step);

/// Whether the content of the notification was erased. Lock the notification before.
bool is_content_erased(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& notification_id);

} // namespace notify::retention
