#pragma once

#include "domain/trusted_device.hpp"
#include "domain/user_id.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <optional>
#include <vector>

/// The table `trusted_devices`. The functions run in the caller's transaction, which must be open
/// for the scope: row-level security hides the rows of other scopes.
namespace auth_mfa::trusted_devices {

/// Whether the user trusts the browser with `token` at `now`.
bool is_trusted(
    pg::Tx& tx, core::Scope const& scope, UserId user_id, DeviceToken const& token, core::Time now);

/// As `is_trusted`. If the result is true, sets the device's time of last use to
/// `now`.
bool recognise(
    pg::Tx& tx, core::Scope const& scope, UserId user_id, DeviceToken const& token, core::Time now);

/// Stores the browser as trusted by the user, with the new token `fresh`. The browser's previous
/// token `held` stops working. If other users trust the browser, their rows get the new token and keep their
/// expiry. The user must be locked, so that the user's devices are committed in the order of their creation
/// times.
void trust(pg::Tx& tx, core::Scope const& scope, UserId user_id, DeviceToken const& fresh,
    std::optional<DeviceToken> const& held, std::string const& user_agent, core::Time now);

/// The devices that the user trusts at `trusted_at`, newest first, starting after `after`. nullopt: all that
/// are stored, also those that have expired.
std::vector<TrustedDevice> list(pg::Tx& tx, core::Scope const& scope, UserId user_id,
    std::optional<core::Time> trusted_at, std::optional<paging::Position> const& after, std::size_t limit);

/// Ends the user's trust in one device; false when the user does not trust it.
bool revoke(pg::Tx& tx, core::Scope const& scope, UserId user_id, core::Uuid device_id, core::Time now);

/// Ends the user's trust in all devices. Callers do so when the password or the factors change.
void revoke_all(pg::Tx& tx, core::Scope const& scope, UserId user_id);

/// Deletes at most `limit` rows of `scopes` that expired before `before`. Returns the number of deleted rows.
std::size_t purge(pg::Tx& tx, std::vector<core::ScopeId> const& scopes, core::Time before, std::size_t limit);

} // namespace auth_mfa::trusted_devices
