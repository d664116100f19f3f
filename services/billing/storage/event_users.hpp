#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "pg/row.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <span>

/// The table `event_users`: the users that an archived event names (named_users.hpp), except the event's own
/// user, which is in the table `events`. So an event is found under every user that it names.
namespace billing::event_users {

/// The key of an event in its scope.
struct EventKey {
    core::Uuid archive_id;
    core::Time received_at;
};

/// Reads the columns archive_id and received_at.
EventKey read_key(pg::RowReader& r);

/// A row of the table: the event is filed under the user.
struct Filing {
    EventKey event;
    core::UserId user_id;
};

/// Inserts rows, some of which may exist.
void insert(pg::Tx& tx, core::ScopeId scope_id, std::span<Filing const> rows);

/// Deletes rows, some of which may not exist.
void remove(pg::Tx& tx, core::ScopeId scope_id, std::span<Filing const> rows);

/// Whether an archived event of another user names this user.
bool is_named(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id);

/// Files at most `limit` events that a version without this table has archived. Returns false if no such
/// event is left.
bool file_older(pg::Tx& tx, core::ScopeId scope_id, std::size_t limit);

} // namespace billing::event_users
