#pragma once

#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "pg/tx.hpp"

#include <span>
#include <string>

/// Erases a user from the tables `events` and `event_users`, as erase_from_event (domain/event_erasure.hpp)
/// decides. Each function processes a limited number of events and bytes in the open transaction, which must
/// hold the scope's lock. It returns false if there was nothing to process.
namespace billing::event_erasure {

/// Erases events of the user.
bool erase_own(
    pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id, core::UserId const& pseudonym);

/// Erases the user from events of other users, and from events without a user, that name the user.
bool erase_mentions(
    pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id, core::UserId const& pseudonym);

/// Erases the events about subscriptions of the user that name no user.
bool erase_of_subscriptions(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id,
    core::UserId const& pseudonym, std::span<std::string const> subscription_ids);

} // namespace billing::event_erasure
