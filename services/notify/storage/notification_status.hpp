#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "domain/notification.hpp"
#include "pg/tx.hpp"
#include "storage/notifications.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Changes of notifications: locks, status, attempts. To avoid deadlocks, a transaction that locks the job
/// and the notification locks the job first, as a worker does when it ends its claim. The transaction must
/// see the scope `scope_id`.
namespace notify::notifications {

/// The notification without its content, locked until the transaction ends, for a change of its status.
std::optional<Notification> lock(pg::Tx& tx, core::ScopeId scope_id, core::Uuid id);

/// As `lock`, for many notifications. Locks and returns them in the order of their ids. Ids without a
/// notification are left out.
std::vector<Notification> lock(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids);

/// As `lock`, for notifications of any scopes. Locks them in the order of their keys.
std::map<Key, Notification> lock(pg::Tx& tx, std::span<Key const> keys);

/// As `lock`, but returns nullopt if a retry request has queued the notification again since `queued_at`.
std::optional<Notification> lock_if_queued_at(
    pg::Tx& tx, core::ScopeId scope_id, core::Uuid id, core::Time queued_at);

/// Withdraws the jobs of the queued notifications among `ids`, except jobs that a worker has begun. Then
/// locks the notifications in the order of their ids, and returns them in this order. Ids without a
/// notification are left out.
std::vector<Notification> withdraw_and_lock(
    pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids);

/// Enqueues the job of `n` again, due now or at its `send_at`, and then locks the notification as `lock`
/// does.
std::optional<Notification> enqueue_and_lock(pg::Tx& tx, core::ScopeId scope_id, Notification const& n);

/// A change of a notification's status.
struct StatusChange {
    core::ScopeId scope_id{};
    Notification notification; ///< locked
    Status to{};
    std::optional<std::string> detail; ///< of the event; if `to` is `failed`, the failure reason
    core::Time at;                     ///< when the status changed
};

/// Makes the changes that `advance` permits, in one statement. The changes must concern different
/// notifications. For each, writes the new status, and the times and the failure reason that `advance` sets.
/// Also writes `attempts`, `provider_id` and `attempt_token`, adds an event to the history, and publishes the
/// webhook event with the time `now`. Deletes the attached files that came in the request, unless `to` is
/// `failed`, because a failed notification may be retried. Returns the notifications that changed, with their
/// new state. Call this function after all statements that lock rows of other tables (see
/// webhook_events::publish).
std::vector<Notification> change_statuses(pg::Tx& tx, std::vector<StatusChange> changes, core::Time now);

/// As `change_statuses`, for one notification, at time `now`. Updates `n`. Returns whether the status
/// changed; if not, nothing is written.
bool change_status(pg::Tx& tx, core::ScopeId scope_id, Notification& n, Status to,
    std::optional<std::string> const& detail, core::Time now);

/// Writes attempts, provider_id and attempt_token of a locked notification. The status is unchanged.
void update_progress(pg::Tx& tx, core::ScopeId scope_id, Notification const& n);

struct Progress {
    core::ScopeId scope_id{};
    Notification const& notification; ///< locked
};

/// As the other `update_progress`, for many notifications in one statement.
void update_progress(pg::Tx& tx, std::span<Progress const> all);

/// Puts a failed notification, locked by `enqueue_and_lock`, back into status `queued` as if it had just been
/// accepted, with an event in the history. Updates `n`. `queued_at` becomes `now` or a little later, never
/// the old value. A push goes to the devices that its user has at the next attempt.
void requeue(pg::Tx& tx, core::ScopeId scope_id, Notification& n, core::Time now);

} // namespace notify::notifications
