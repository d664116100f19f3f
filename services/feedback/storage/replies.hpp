#pragma once

#include "domain/feedback.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <span>
#include <vector>

/// The table `replies`.
namespace feedback::replies {

void insert(pg::Tx& tx, core::Scope const& scope, Reply const& reply);

/// Nullopt if the thread has no reply with this id.
std::optional<Reply> get(pg::Tx& tx, core::Scope const& scope, core::Uuid feedback_id, core::Uuid id);

/// Stores the body and the time of the edit. The thread must be locked.
void edit(pg::Tx& tx, core::Scope const& scope, Reply const& reply);

/// Deletes the reply, with its previous bodies. Returns the time of the deletion. The thread must be locked.
core::Time remove(pg::Tx& tx, core::Scope const& scope, Reply const& reply);

/// At most `limit` replies after `after`, oldest first. Internal notes are included only if
/// `with_internal` is true.
std::vector<Reply> list(pg::Tx& tx, core::Scope const& scope, core::Uuid feedback_id, bool with_internal,
    std::optional<paging::Position> const& after, std::size_t limit);

/// At most `limit` replies and internal notes of each thread, oldest first, in the order of `feedback_ids`.
std::vector<std::vector<Reply>> list_first(
    pg::Tx& tx, core::Scope const& scope, std::span<core::Uuid const> feedback_ids, std::size_t limit);

struct Key {
    core::Uuid feedback_id;
    core::Uuid id;
};

/// At most `limit` replies of the author to all threads, and internal notes, in the order of their keys. The
/// first reply follows `after`.
std::vector<Reply> list_of_author(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& author_id, Key const& after, std::size_t limit);

} // namespace feedback::replies
