#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/feedback.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

/// The tables `votes` and `followers`, and the votes' number in `feedbacks`.
///
/// The functions that change votes require that the transaction holds the lock of the thread. They take the
/// scope's lock (pg::lock_scope), so votes of a scope are committed in the order of their times, as
/// VotePosition requires.
namespace feedback::votes {

/// A user with the address for emails about a thread.
struct Follower {
    core::UserId user_id;
    std::optional<std::string> email;
    bool email_verified = false;
};

/// Adds the user's vote unless there is one, and lets the user follow the thread. If the user follows it
/// already, an email that is given replaces the stored one. Updates the number of votes of `f`.
void add(pg::Tx& tx, core::Scope const& scope, Feedback& f, Follower const& voter);

/// Removes the user's vote, if there is one, and ends following, unless the user is the reporter of a thread
/// that was merged into this one. Updates the number of votes of `f`.
void remove(pg::Tx& tx, core::Scope const& scope, Feedback& f, core::UserId const& user_id);

/// Moves the votes and followers of `source` to `target`, and lets the reporter of `source` follow `target`.
/// Their opt-outs from emails about `source` apply to `target`, too.
/// A user who has voted for both counts once. Updates the numbers of votes of both.
void move_all(pg::Tx& tx, core::Scope const& scope, Feedback& source, Feedback& target);

/// The threads among `ids` that the user has voted for.
std::set<core::Uuid> voted(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::span<core::Uuid const> ids);

struct Vote {
    core::Uuid id;
    core::Uuid feedback_id;
    core::UserId user_id;
    std::optional<std::string> user_email; ///< of the follower
    core::Time created_at;
};

/// At most `limit` votes for a thread, newest first.
std::vector<Vote> list(pg::Tx& tx, core::Scope const& scope, core::Uuid const& feedback_id,
    std::optional<paging::Position> const& after, std::size_t limit);

/// At most `limit` votes of a user, in the order of the threads' ids, after the thread `after`.
std::vector<Vote> list_of_user(pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id,
    core::Uuid const& after, std::size_t limit);

} // namespace feedback::votes
