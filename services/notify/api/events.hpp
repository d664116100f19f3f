#pragma once

#include "core/id.hpp"
#include "domain/notification.hpp"
#include "pg/database.hpp"

#include <array>
#include <cstdint>
#include <string_view>

/// What the service announces to a scope's webhooks, in the transaction of the change. The data are the
/// notification as `GET /v1/notifications/{id}` shows it, without a push's single devices, or the broadcast.
namespace notify::events {

inline constexpr std::array<std::string_view, 5> all{"notification.sent", "notification.delivered",
    "notification.opened", "notification.failed", "broadcast.completed"};

/// Announces that `n` has just moved to its status (`notification.<status>`), to be called once after each
/// `notifications::move` that changed it. One that was put back to `queued` is not announced. The event
/// belongs to the trace of the request that asked for the notification. `now` is by the service's clock: when
/// it was delivered or opened may be what the device says, and that is in the data. Like `devices::prune` it
/// may take the scope's lock.
void moved(pg::Tx& tx, std::int64_t scope_id, Notification const& n, core::Time now);

/// Completes the broadcast and announces that, once it is fanned out and all its devices are settled; to be
/// called after each change of either. Like `devices::prune` it may take the scope's lock.
void broadcast_moved(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id, core::Time now);

} // namespace notify::events
