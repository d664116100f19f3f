#pragma once

#include "domain/user.hpp"
#include "pg/database.hpp"

/// What the tables of factors have to do together.
namespace auth_mfa::factors {

/// Removes every factor of the user, the phone's mark included, with recovery codes and trusted devices; the
/// phone itself is kept. For an admin's reset. `user` is locked, and as it was read then.
void remove_all(pg::Tx& tx, core::Scope const& scope, User const& user);

} // namespace auth_mfa::factors
