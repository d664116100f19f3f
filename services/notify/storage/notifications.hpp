#pragma once

#include "core/identity.hpp"
#include "domain/filter.hpp"
#include "domain/notification.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// The tables `notifications` and `notification_events`. The transaction must see the scope `scope_id`.
namespace notify::notifications {

/// A notification to insert. Of `notification`, these members are used: id, channel, template_name, to,
/// content, send_at, traceparent and queued_at. `queued_at` is the current time of the service's clock. The
/// job of the notification is due at `send_at`; without `send_at`, it is due at once.
struct NewNotification {
    std::int64_t scope_id = 0;
    Notification notification;
};

/// Inserts the notification and enqueues its job on `queue_of(channel)`, in one statement. Returns the
/// creation time. Takes the scope's lock (pg::serialise), so rows are committed in the order of their
/// creation times and no list cursor can miss a row.
core::Time insert(pg::Tx& tx, NewNotification const& row);

/// As `insert`, for many rows of many scopes in one statement.
pg::Batch<core::Time> insert_batch(pg::Session& session, std::span<NewNotification const> rows);

struct Key {
    std::int64_t scope_id = 0;
    core::Uuid id;
};

/// A notification as the API shows it: without its content, and for a push with its deliveries, in the order
/// in which the devices were registered.
struct Shown {
    Notification notification;
    std::vector<PushDelivery> deliveries;
};

pg::Batch<std::optional<Shown>> get_batch(pg::Session& session, std::span<Key const> keys);

/// As `get_batch`, for one notification, in a transaction.
std::optional<Shown> get(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// One page of all notifications of a scope: the first page, or the page after a cursor.
struct PlainPage {
    std::int64_t scope_id = 0;
    std::optional<paging::Position> after;
    std::size_t limit = 0;
};

/// The notifications of each page, newest first, without their contents.
pg::Batch<std::vector<Notification>> list_batch(pg::Session& session, std::span<PlainPage const> pages);

/// At most `limit` notifications that match the filter, after `after`; newest first, without their contents.
std::vector<Notification> list(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<paging::Position> const& after, std::size_t limit);

/// The notification with its content, as needed for sending.
std::optional<Notification> find(pg::Tx& tx, std::int64_t scope_id, core::Uuid id);

/// The notification without its content, locked until the transaction ends, for a change of its status.
std::optional<Notification> lock(pg::Tx& tx, std::int64_t scope_id, core::Uuid id);

/// Locks many notifications in the order of their ids, and returns them in this order. Ids without a
/// notification are left out.
std::vector<Notification> lock_all(pg::Tx& tx, std::int64_t scope_id, std::span<core::Uuid const> ids);

/// Withdraws the jobs of the queued notifications among `ids`, except jobs that a worker has begun, then
/// calls `lock_all`. Locks the jobs before the notifications, as a worker does when it ends its claim, to
/// avoid deadlocks.
std::vector<Notification> withdraw_and_lock(
    pg::Tx& tx, std::int64_t scope_id, std::span<core::Uuid const> ids);

/// Moves a locked notification to status `to` at time `at`, if `advance` permits it. Writes the new status,
/// and the times and the failure reason that `advance` sets. Also writes the `attempts` and `provider_id` of
/// `n`, and adds an event with `detail`. If `to` is `failed`, `detail` is the failure reason. Deletes the
/// attached files that came in the request, unless `to` is `failed`, because a failed notification may be
/// retried. Updates `n`. Returns whether the status changed; if not, nothing is written.
bool move(pg::Tx& tx, std::int64_t scope_id, Notification& n, Status to,
    std::optional<std::string> const& detail, core::Time at);

/// One of several status changes, for `move_all`. The changes of one call must concern different
/// notifications.
struct Move {
    Notification notification; ///< locked
    Status to{};
    std::optional<std::string> detail;
    core::Time at;
};

/// As `move`, for many notifications in one statement. Returns the notifications that changed, with their new
/// state.
std::vector<Notification> move_all(pg::Tx& tx, std::int64_t scope_id, std::vector<Move> moves);

/// Writes attempts and provider_id of a locked notification. The status is unchanged.
void update_progress(pg::Tx& tx, std::int64_t scope_id, Notification const& n);

/// Enqueues the job of `n` again, due now or at its `send_at`, and then locks the notification as `lock`
/// does. The job is locked before the notification, as when a worker ends its claim, to avoid deadlocks.
std::optional<Notification> enqueue_and_lock(pg::Tx& tx, std::int64_t scope_id, Notification const& n);

/// Puts a failed notification, locked by `enqueue_and_lock`, back into status `queued` as if it had just been
/// accepted, with an event. Updates `n`. `queued_at` becomes `now` or a little later, never the old value. A
/// push goes to the devices that its user has at the next attempt.
void requeue(pg::Tx& tx, std::int64_t scope_id, Notification& n, core::Time now);

/// The history of an existing notification, newest first: at most `limit` events with a place below `before`.
/// The oldest event is the acceptance, with place 0.
std::vector<Event> events(
    pg::Tx& tx, core::Scope const& scope, core::Uuid id, std::int64_t before, std::size_t limit);

} // namespace notify::notifications
