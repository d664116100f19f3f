#pragma once

#include "domain/feedback.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"

#include <span>

/// The table `status_moves`.
namespace feedback::status_changes {

/// A status change of a thread.
struct Move {
    core::Uuid feedback_id;
    Status from{}, to{};
    std::optional<core::Uuid> merged_into{}, merged_from{}; ///< as in StatusChange
};

/// Records status changes at the current time. The threads must be locked.
void insert(pg::Tx& tx, core::Scope const& scope, Author const& actor, std::span<Move const> moves);

/// At most `limit` status changes before `after`, newest first. The oldest item is the
/// thread's creation.
std::vector<StatusChange> list(pg::Tx& tx, core::Scope const& scope, core::Uuid feedback_id,
    std::optional<paging::Position> const& after, std::size_t limit);

} // namespace feedback::status_changes
