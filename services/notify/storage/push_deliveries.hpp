#pragma once

#include "core/id.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/credential.hpp"
#include "domain/notification.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// The table `push_deliveries`: the state of a push at each of its devices. A push goes to the devices that
/// the user had at the first attempt. The rows are inserted with the outcome of that attempt. The transaction
/// must see the scope.
namespace notify::push_deliveries {

/// A device that a push goes to.
struct Target {
    PushDelivery delivery;
    /// When the device was last registered; nullopt if the device no longer belongs to the user.
    std::optional<core::Time> registered_at;
};

/// The devices of a push, in the order of their ids. Before the end of the first attempt, these are the
/// devices that the user has now (all pending): at most the `max_user_devices` devices that were registered
/// last. Afterwards, these are the devices that the user had at the first attempt.
std::vector<Target> targets(
    pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& notification_id, core::UserId const& user_id);

/// Writes the state of the push at these devices.
void write(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& notification_id,
    std::span<PushDelivery const> deliveries);

/// Fails the pending deliveries of a push with `reason`, so that nothing more is sent.
void fail_pending(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& notification_id,
    std::string_view reason, core::Time now);

/// At most `limit` notifications with an id above `after` that have a pending delivery through the carrier
/// `carrier`, in the order of their ids.
std::vector<core::Uuid> list_waiting(
    pg::Tx& tx, core::ScopeId scope_id, Carrier carrier, core::Uuid const& after, std::size_t limit);

} // namespace notify::push_deliveries
