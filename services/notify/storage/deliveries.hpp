#pragma once

#include "core/id.hpp"
#include "domain/notification.hpp"
#include "pg/database.hpp"
#include "providers/credential.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// The table `push_deliveries`: a push at each of its user's devices, which are those the user had at the
/// first attempt. It gets its rows with the outcome of that attempt. Every transaction sees the scope.
namespace notify::deliveries {

/// A device that a push goes to.
struct Target {
    PushDelivery delivery;
    /// When the device was registered last, while it is the user's still.
    std::optional<core::Time> registered_at;
};

/// Where the push goes: to the devices of its first attempt, or, before there was one, to those that the user
/// has now (all of them pending), of which it takes the `max_user_devices` that were registered last. In the
/// order of their ids.
std::vector<Target> targets(
    pg::Tx& tx, std::int64_t scope_id, core::Uuid const& notification_id, std::string const& user_id);

/// Writes down how the push stands at these devices.
void record(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& notification_id,
    std::span<PushDelivery const> deliveries);

/// Nothing more is sent to the devices at which the push is pending: it has failed there for that reason.
void drop_pending(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& notification_id,
    std::string_view reason, core::Time now);

/// At most `limit` notifications above `after` with a push pending at a device that `kind` carries to, in the
/// order of their ids.
std::vector<core::Uuid> waiting(
    pg::Tx& tx, std::int64_t scope_id, PlatformKind kind, core::Uuid const& after, std::size_t limit);

} // namespace notify::deliveries
