#pragma once

#include "domain/feedback.hpp"
#include "domain/filter.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"

#include <span>
#include <vector>

/// The table `feedbacks`.
namespace feedback::feedbacks {

struct NewFeedback {
    core::Uuid id;
    std::int64_t scope_id = 0;
    Draft draft;
    Author author;
};

/// The thread as it stands right after its insertion at `created_at`.
Feedback created(NewFeedback const& row, core::Time created_at);

/// Inserts in the scope's commit order, so that no row can appear behind a cursor. Returns the creation time.
core::Time insert(pg::Tx& tx, NewFeedback const& row);

/// The same for many rows of many scopes in one statement. Rows of a scope with an enabled webhook are left
/// out (nullopt): their event has to be written with them, by `insert`.
pg::Batch<std::optional<core::Time>> insert_batch(pg::Session& session, std::span<NewFeedback const> rows);

struct Key {
    std::int64_t scope_id = 0;
    core::Uuid id;
};

pg::Batch<std::optional<Feedback>> get_batch(pg::Session& session, std::span<Key const> keys);

/// Deleted threads are found too.
std::optional<Feedback> get(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// The same, locked until the transaction ends: what orders a thread's replies and moves.
std::optional<Feedback> lock(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// The first page or the one after a cursor of everything that is not deleted, newest first.
struct PlainPage {
    std::int64_t scope_id = 0;
    std::optional<paging::Position> after;
    std::size_t limit = 0;
};

pg::Batch<std::vector<Feedback>> list_batch(pg::Session& session, std::span<PlainPage const> pages);

/// At most `limit` threads in the filter's order, those after `after`.
std::vector<Feedback> list(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<paging::Position> const& after, std::size_t limit);

/// Writes what a PATCH may change and moves version and updated_at on, in place.
void update(pg::Tx& tx, core::Scope const& scope, Feedback& f);

/// Closes and marks as deleted, in place.
void soft_delete(pg::Tx& tx, core::Scope const& scope, Feedback& f);

/// Counts a reply posted at a time later than every other in the thread, in place; returns that time.
/// The thread is locked.
core::Time count_reply(pg::Tx& tx, core::Scope const& scope, Feedback& f, bool internal);

struct Tally {
    std::string group; ///< status | category | priority | total
    std::string value; ///< empty for total and for no priority
    std::int64_t count = 0;
};

/// How many live threads there are in all and by each value.
std::vector<Tally> stats(pg::Tx& tx, core::Scope const& scope);

} // namespace feedback::feedbacks
