#pragma once

#include "domain/user.hpp"
#include "pg/tx.hpp"

/// Operations over all tables of factors.
namespace auth_mfa::factors {

/// Removes every factor of the user, the recovery codes and the trusted devices, when an admin resets them.
/// The phone number is kept as unverified. The caller must have locked the user before it read `user`.
void remove_all(pg::Tx& tx, core::Scope const& scope, User const& user);

} // namespace auth_mfa::factors
