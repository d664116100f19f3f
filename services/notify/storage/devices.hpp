#pragma once

#include "core/scope.hpp"
#include "domain/device.hpp"
#include "paging/cursor.hpp"
#include "pg/batch.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The table `devices`. All writers hold the scope's lock (`pg::lock_scope`), so that ids become visible in
/// ascending order: when an id is visible, all smaller ids are too.
namespace notify::devices {

/// A request to register a device.
struct Registration {
    core::ScopeId scope_id{};
    std::string token;
    core::UserId user_id;
    DevicePlatform platform{};
    /// As in Device. A known device keeps its key, because the browser has subscribed with this key.
    std::optional<std::string> sealed_subscription{};
    std::optional<std::string> web_key{}; ///< set if and only if there is a subscription
};

/// Inserts each device. If the token is known, the device moves to the new user. Registrations of one token
/// take effect in the order of the batch. If a user then has more than `max_user_devices` devices, the
/// devices that were registered longest ago are removed. The result for a registration is nullopt, and
/// nothing is stored, if the account of its user was deleted (auth::erased_user_rows).
pg::Batch<std::optional<Device>> register_batch(
    pg::BatchConnection& connection, std::span<Registration const> rows);

/// Registers one device, in a transaction.
std::optional<Device> register_one(pg::Tx& tx, Registration const& row);

struct Token {
    core::ScopeId scope_id{};
    std::string token;
};

/// Removes devices. The result for a token is false if the token was not registered.
pg::Batch<bool> remove_batch(pg::BatchConnection& connection, std::span<Token const> tokens);

std::optional<Device> find(pg::Tx& tx, core::Scope const& scope, std::string_view token);

/// At most `limit` of a user's devices after `after`, newest first.
std::vector<Device> list(pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id,
    std::optional<paging::Position> const& after, std::size_t limit);

/// The position of `device` in the list, for cursors.
paging::Position position_of(Device const& device);

/// A device for which a carrier answered "token gone".
struct Gone {
    std::int64_t device_id = 0;
    /// `Device::updated_at` when the push was sent, or an earlier time, by the database's clock. A device
    /// that was registered again after this time is kept.
    core::Time registered_at;
};

/// Removes the devices, except devices that were registered again after `Gone::registered_at`. Takes the
/// scope's lock, so call it after all statements that lock rows of other tables. Otherwise two transactions
/// could deadlock.
void prune(pg::Tx& tx, core::ScopeId scope_id, std::span<Gone const> gone);

} // namespace notify::devices
