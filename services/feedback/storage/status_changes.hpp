#pragma once

#include "domain/feedback.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"

/// The table `status_moves`.
namespace feedback::status_changes {

/// Records a status change at the current time. The thread must be locked.
void insert(pg::Tx& tx, core::Scope const& scope, core::Uuid feedback_id, Author const& actor, Status from,
    Status to);

/// At most `limit` status changes before `after`, newest first. The oldest item is the
/// thread's creation.
std::vector<StatusChange> list(pg::Tx& tx, core::Scope const& scope, core::Uuid feedback_id,
    std::optional<paging::Position> const& after, std::size_t limit);

} // namespace feedback::status_changes
