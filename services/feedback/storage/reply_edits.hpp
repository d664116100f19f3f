#pragma once

#include "domain/feedback.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"

/// The table `reply_edits`: the previous bodies of edited replies.
namespace feedback::reply_edits {

/// Maximum number of edits of a reply.
inline constexpr std::int64_t max_per_reply = 100;

/// Keeps the current body of the reply, which is about to be replaced. Returns the time of the edit, which is
/// later than all earlier edits of the reply; nullopt if the reply was edited `max_per_reply` times. The
/// thread must be locked.
std::optional<core::Time> insert(pg::Tx& tx, core::Scope const& scope, Reply const& reply);

/// At most `limit` previous bodies of the reply before `after`, newest first.
std::vector<ReplyEdit> list(pg::Tx& tx, core::Scope const& scope, core::Uuid feedback_id, core::Uuid reply_id,
    std::optional<paging::Position> const& after, std::size_t limit);

struct Key {
    core::Uuid feedback_id;
    core::Uuid reply_id;
    core::Uuid id;
};

/// At most `limit` previous bodies of all replies of the author, in the order of their keys. The first one
/// follows `after`.
std::vector<ReplyEdit> list_of_author(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& author_id, Key const& after, std::size_t limit);

} // namespace feedback::reply_edits
