#pragma once

#include "core/scope.hpp"
#include "domain/notification.hpp"
#include "domain/notification_filter.hpp"
#include "paging/cursor.hpp"
#include "pg/batch.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// The tables `notifications` and `notification_events`: inserts and reads. notification_status.hpp changes a
/// notification. The transaction must see the scope `scope_id`.
namespace notify::notifications {

/// A notification to insert. Of `notification`, these members are used: id, channel, template_name, to,
/// content, send_at, traceparent and queued_at. `queued_at` is the current time of the service's clock. The
/// job of the notification is due at `send_at`; without `send_at`, it is due at once.
struct NewNotification {
    core::ScopeId scope_id{};
    Notification notification;
};

struct Inserted {
    core::Time created_at;
    std::string to; ///< the recipient that was stored
};

/// Inserts the notification and enqueues its job on `queue_of(channel)`, in one statement. Takes the scope's
/// lock (pg::lock_scope), so rows are committed in the order of their creation times and no list cursor can
/// miss a row.
///
/// Nothing is stored of a user whose account was deleted (auth::erased_user_rows): a push to such a user has
/// no content, and its recipient is `deleted:` and the notification's id. It fails like every push to a user
/// without devices.
Inserted insert(pg::Tx& tx, NewNotification const& row);

/// As `insert`, for many rows of many scopes in one statement.
pg::Batch<Inserted> insert_batch(pg::BatchConnection& connection, std::span<NewNotification const> rows);

struct Key {
    core::ScopeId scope_id{};
    core::Uuid id;

    friend auto operator<=>(Key const&, Key const&) = default;
};

/// A notification as the API shows it: without its content, and for a push with its deliveries, in the order
/// in which the devices were registered.
struct Shown {
    Notification notification;
    std::vector<PushDelivery> deliveries;
};

pg::Batch<std::optional<Shown>> get_batch(pg::BatchConnection& connection, std::span<Key const> keys);

/// As `get_batch`, for one notification, in a transaction.
std::optional<Shown> get(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// One page of all notifications of a scope: the first page, or the page after a cursor.
struct PlainPage {
    core::ScopeId scope_id{};
    std::optional<paging::Position> after;
    std::size_t limit = 0;
};

/// The notifications of each page, newest first, without their contents.
pg::Batch<std::vector<Notification>> list_batch(
    pg::BatchConnection& connection, std::span<PlainPage const> pages);

/// At most `limit` notifications that match the filter, after `after`; newest first, without their contents.
std::vector<Notification> list(pg::Tx& tx, core::Scope const& scope, NotificationFilter const& filter,
    std::optional<paging::Position> const& after, std::size_t limit);

/// The notification with its content, as needed for sending.
std::optional<Notification> find(pg::Tx& tx, core::ScopeId scope_id, core::Uuid id);

/// The history of an existing notification, newest first: at most `limit` events with a place below `before`.
/// The oldest event is the acceptance, with place 0.
std::vector<NotificationEvent> list_events(
    pg::Tx& tx, core::Scope const& scope, core::Uuid id, std::int64_t before, std::size_t limit);

} // namespace notify::notifications
