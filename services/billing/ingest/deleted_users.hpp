#pragma once

#include "core/scope.hpp"
#include "domain/event.hpp"
#include "pg/tx.hpp"
#include "storage/event_archive.hpp"

#include <optional>

/// Events that arrive for users whose account was deleted (user_erasure::is_deleted). They must not bring
/// back the user.
namespace billing::ingest {

/// Erases these users from the row of an event that is being archived. If the event belongs to such a user,
/// the row's `is_erased` is true afterwards, and the event must not be applied. The caller holds the scope's
/// lock.
void erase_deleted_users(
    pg::Tx& tx, core::ScopeId scope_id, Event const& event, event_archive::NewEvent& row);

/// Whether the event belongs to such a user. `user_id`: the user of the event's archive row.
bool is_of_deleted_user(
    pg::Tx& tx, core::ScopeId scope_id, Event const& event, std::optional<core::UserId> const& user_id);

} // namespace billing::ingest
