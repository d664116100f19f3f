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

/// The tables `notifications` and `notification_events`. Every transaction sees the scope it names.
namespace notify::notifications {

/// One to be accepted. Of `notification` its id, channel, template_name, to, content, send_at and traceparent
/// are taken, and `queued_at`, which is now by the service's clock: its job is due then or at `send_at`.
struct NewNotification {
    std::int64_t scope_id = 0;
    Notification notification;
};

/// Inserts in the scope's commit order, so that no row can appear behind a cursor, and enqueues its job on
/// `queue_of(channel)`, in one statement. Returns the creation time.
core::Time insert(pg::Tx& tx, NewNotification const& row);

/// The same for many rows of many scopes.
pg::Batch<core::Time> insert_batch(pg::Session& session, std::span<NewNotification const> rows);

struct Key {
    std::int64_t scope_id = 0;
    core::Uuid id;
};

/// A notification as it is shown: without its content; a push with what became of it at each device, in the
/// order in which they were registered.
struct Shown {
    Notification notification;
    std::vector<PushDelivery> deliveries;
};

pg::Batch<std::optional<Shown>> get_batch(pg::Session& session, std::span<Key const> keys);

/// The same of one.
std::optional<Shown> get(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// The first page or the one after a cursor of all notifications of a scope.
struct PlainPage {
    std::int64_t scope_id = 0;
    std::optional<paging::Position> after;
    std::size_t limit = 0;
};

/// Newest first, without their contents.
pg::Batch<std::vector<Notification>> list_batch(pg::Session& session, std::span<PlainPage const> pages);

/// At most `limit` that pass the filter, those after `after`; newest first, without their contents.
std::vector<Notification> list(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<paging::Position> const& after, std::size_t limit);

/// With its content: for whoever is going to send it.
std::optional<Notification> find(pg::Tx& tx, std::int64_t scope_id, core::Uuid id);

/// Without its content, and locked until the transaction ends: for whoever is going to move it.
std::optional<Notification> lock(pg::Tx& tx, std::int64_t scope_id, core::Uuid id);

/// The same for many, locked in the order of their ids, in which they are returned; those that are not there
/// are left out.
std::vector<Notification> lock_all(pg::Tx& tx, std::int64_t scope_id, std::span<core::Uuid const> ids);

/// Takes the jobs of those among `ids` that are queued back from their queues, unless a worker has begun, and
/// then does as `lock_all`. Before it locks them: whoever ends a job holds that first, and then waits for the
/// notification.
std::vector<Notification> withdraw_and_lock(
    pg::Tx& tx, std::int64_t scope_id, std::span<core::Uuid const> ids);

/// Moves a locked notification to `to` at `at`, in place, if `advance` lets it: writes its status with the
/// times and the reason that belong to it, its attempts and its provider_id as they stand in `n`, and an
/// event. `detail` is kept with the event; a failure has one, and that is its reason. Files that came with
/// the request go, but for a failure, which may be tried anew. Returns whether it moved; when not, nothing
/// was written.
bool move(pg::Tx& tx, std::int64_t scope_id, Notification& n, Status to,
    std::optional<std::string> const& detail, core::Time at);

/// One of several moves: `move` of each, in one statement. The notifications differ from each other.
struct Move {
    Notification notification; ///< locked
    Status to{};
    std::optional<std::string> detail;
    core::Time at;
};

/// Returns what moved, as it is now.
std::vector<Notification> move_all(pg::Tx& tx, std::int64_t scope_id, std::vector<Move> moves);

/// Writes attempts and provider_id of a locked notification whose status stays as it is.
void update_progress(pg::Tx& tx, std::int64_t scope_id, Notification const& n);

/// Enqueues the job of `n` again, for now or for its `send_at`, and then locks the notification as `lock`
/// does. The job comes first, as when a worker ends its claim, to avoid deadlocks.
std::optional<Notification> enqueue_and_lock(pg::Tx& tx, std::int64_t scope_id, Notification const& n);

/// Puts a notification that has failed, locked by `enqueue_and_lock`, back into its queue, in place, as if it
/// had just been accepted, with an event. `queued_at` becomes `now`, or later: never what it was. A push goes
/// to the devices that its user has by then.
void requeue(pg::Tx& tx, std::int64_t scope_id, Notification& n, core::Time now);

/// The history of a notification that is there, newest first: at most `limit` events with a place below
/// `before`. The last is its acceptance, with place 0.
std::vector<Event> events(
    pg::Tx& tx, core::Scope const& scope, core::Uuid id, std::int64_t before, std::size_t limit);

} // namespace notify::notifications
