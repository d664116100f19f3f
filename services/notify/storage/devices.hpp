#pragma once

#include "core/identity.hpp"
#include "domain/device.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The table `devices`. Whatever writes it holds the scope's lock (`pg::serialise`), so that ids become
/// visible in their order: all devices up to an id are there once that one is.
namespace notify::devices {

/// A device that says it is there.
struct Registration {
    std::int64_t scope_id = 0;
    std::string token;
    std::string user_id;
    DevicePlatform platform{};
};

/// Inserts each device, or moves the one that has the token to the new user. Those of one token take effect
/// in the order of the batch. Whoever has more than `max_user_devices` then loses those that were registered
/// longest ago.
pg::Batch<Device> register_batch(pg::Session& session, std::span<Registration const> rows);

/// The same of one, in a transaction.
Device register_one(pg::Tx& tx, Registration const& row);

struct Token {
    std::int64_t scope_id = 0;
    std::string token;
};

/// Removes devices; false where there was none.
pg::Batch<bool> remove_batch(pg::Session& session, std::span<Token const> tokens);

std::optional<Device> find(pg::Tx& tx, core::Scope const& scope, std::string_view token);

/// At most `limit` of a user's after `after`, newest first.
std::vector<Device> list(pg::Tx& tx, core::Scope const& scope, std::string_view user_id,
    std::optional<paging::Position> const& after, std::size_t limit);

/// Where a page that ends with `device` ends.
paging::Position position_of(Device const& device);

/// A device whose token a carrier called gone.
struct Gone {
    std::int64_t device_id = 0;
    /// One that was registered after that is there again: `Device::updated_at` as it was when the push was
    /// sent, or any time until then, by the database's clock.
    core::Time registered_at;
};

/// Removes the devices, but for those that were registered again since. Takes the scope's lock, so it comes
/// after everything that locks a row of another table.
void prune(pg::Tx& tx, std::int64_t scope_id, std::span<Gone const> gone);

} // namespace notify::devices
