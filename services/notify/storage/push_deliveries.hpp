#pragma once

#include "core/id.hpp"
#include "core/scope.hpp"
#include "domain/carrier.hpp"
#include "domain/notification.hpp"
#include "pg/tx.hpp"
#include "storage/notifications.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// The table `push_deliveries`: the state of a push at each of its devices. For each carrier, a push goes to
/// the devices that the user had at the first attempt. The rows are inserted with the outcome of that
/// attempt, or before (`plan`). The transaction must see the scopes.
namespace notify::push_deliveries {

/// A device that a push goes to.
struct Target {
    PushDelivery delivery;
    /// When the device was last registered; nullopt if the device no longer belongs to the user.
    std::optional<core::Time> registered_at;
    std::optional<std::string> sealed_subscription{}; ///< as in Device
    std::optional<std::string> web_key{};             ///< as in Device
};

/// A push and its recipient.
struct Push {
    notifications::Key key;
    std::string_view user_id;
};

/// The devices of each push that `carrier` reaches, in the order of their ids. Before the end of the first
/// attempt, these are devices that the user has now (all pending), among the `max_user_devices` devices that
/// were registered last. Afterwards, these are the devices of the first attempt.
std::vector<std::vector<Target>> targets(pg::Tx& tx, Carrier carrier, std::span<Push const> pushes);

/// The carriers of each push: those of its user's devices, and of its pending deliveries.
std::vector<std::vector<Carrier>> carriers(pg::Tx& tx, std::span<Push const> pushes);

/// Inserts the deliveries of pushes that several carriers send, all pending, so that they are shown together.
void plan(pg::Tx& tx, std::span<Push const> pushes);

/// The new state of a push at a device.
struct Change {
    notifications::Key key;
    PushDelivery const* delivery = nullptr;
};

/// Writes the new states.
void write(pg::Tx& tx, std::span<Change const> changes);

/// Fails the pending deliveries of these pushes with `reason`, so that nothing more is sent.
void fail_pending(
    pg::Tx& tx, std::span<notifications::Key const> keys, std::string_view reason, core::Time now);

/// As the other `fail_pending`, for one push.
void fail_pending(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& notification_id,
    std::string_view reason, core::Time now);

/// At most `limit` notifications with an id above `after` that have a pending delivery through the carrier
/// `carrier`, in the order of their ids.
std::vector<core::Uuid> list_waiting(
    pg::Tx& tx, core::ScopeId scope_id, Carrier carrier, core::Uuid const& after, std::size_t limit);

} // namespace notify::push_deliveries
