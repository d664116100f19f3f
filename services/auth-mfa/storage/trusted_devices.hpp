#pragma once

#include "domain/device.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"

#include <cstddef>
#include <optional>
#include <vector>

/// The table `trusted_devices`. The caller owns the transaction, which sees the scope.
namespace auth_mfa::trusted_devices {

/// Whether the browser that holds `token` is one this user trusts at `now`; notes the use.
bool recognise(
    pg::Tx& tx, core::Scope const& scope, core::Uuid user_id, DeviceToken const& token, core::Time now);

/// Makes the browser one the user trusts, under the token `fresh`. `held`, which it had before, works no
/// more; what other users trust it with goes over to the new one and ends when it would have. The user is
/// locked: that puts the devices of one in the order of commits.
void trust(pg::Tx& tx, core::Scope const& scope, core::Uuid user_id, DeviceToken const& fresh,
    std::optional<DeviceToken> const& held, std::string const& user_agent, core::Time now);

/// The devices the user trusts at `now`, newest first, those after `after`.
std::vector<Device> list(pg::Tx& tx, core::Scope const& scope, core::Uuid user_id, core::Time now,
    std::optional<paging::Position> const& after, std::size_t limit);

/// Ends the user's trust in one; false when there is none that lives.
bool revoke(pg::Tx& tx, core::Scope const& scope, core::Uuid user_id, core::Uuid device_id, core::Time now);

/// Ends the user's trust in every one: after a change of password, factors or by an admin.
void revoke_all(pg::Tx& tx, core::Scope const& scope, core::Uuid user_id);

/// Deletes at most `limit` rows of `scopes` that ended before `before`; answers how many.
std::size_t purge(pg::Tx& tx, std::vector<std::int64_t> const& scopes, core::Time before, std::size_t limit);

} // namespace auth_mfa::trusted_devices
