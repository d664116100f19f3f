#pragma once

#include "core/id.hpp"
#include "domain/notification.hpp"
#include "pg/database.hpp"

#include <array>
#include <cstdint>
#include <string_view>

/// The events that a scope's webhooks receive. An event is published in the transaction that makes the
/// change. The data of an event is the broadcast, or the notification as `GET /v1/notifications/{id}` returns
/// it, but without `deliveries`.
namespace notify::events {

inline constexpr std::array<std::string_view, 5> all{"notification.sent", "notification.delivered",
    "notification.opened", "notification.failed", "broadcast.completed"};

/// Publishes `notification.<status>`. Call this function once after each `notifications::move` that changed
/// the status. A move back to `queued` publishes nothing. The event belongs to the trace of the request that
/// created the notification. `now` is the service's time, but `deliveredAt` and `openedAt` in the data may be
/// times that the device stated. The function may take the scope's lock, so call it after all statements that
/// lock rows of other tables (see devices::prune).
void moved(pg::Tx& tx, std::int64_t scope_id, Notification const& n, core::Time now);

/// If the broadcast is fanned out and all its devices are settled, completes the broadcast and publishes
/// `broadcast.completed`. Call this function after each change of the fan-out or of the settled devices. It
/// may take the scope's lock, so call it after all statements that lock rows of other tables (see
/// devices::prune).
void broadcast_moved(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id, core::Time now);

} // namespace notify::events
