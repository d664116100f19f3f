#pragma once

#include "core/caller.hpp"
#include "domain/user.hpp"
#include "http/message.hpp"
#include "pg/tx.hpp"

/// Rules for changes of members.
namespace auth_mfa {

/// Throws FORBIDDEN if the caller may not act on owners: keys and admins may not.
void require_may_act_on(Role role, core::Access caller);

/// Throws CONFLICT if a change of `member`, which ends the role or the account, would leave the environment
/// without an active owner. The scope must be locked.
void require_other_owner(pg::Tx& tx, http::Request const& req, User const& member);

} // namespace auth_mfa
