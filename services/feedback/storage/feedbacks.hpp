#pragma once

#include "core/scope.hpp"
#include "domain/feedback.hpp"
#include "domain/filter.hpp"
#include "paging/cursor.hpp"
#include "pg/batch.hpp"
#include "pg/tx.hpp"

#include <span>
#include <vector>

/// The table `feedbacks`.
namespace feedback::feedbacks {

struct NewFeedback {
    core::Uuid id;
    core::ScopeId scope_id{};
    FeedbackInput input;
    Author author;
};

/// The thread that results from inserting `row` at `created_at`.
Feedback created(NewFeedback const& row, core::Time created_at);

/// Inserts the row and returns its creation time. Takes the scope's lock (pg::lock_scope), so threads are
/// committed in the order of their creation times and no list cursor can skip a thread.
core::Time insert(pg::Tx& tx, NewFeedback const& row);

/// Like `insert`, but for many rows of many scopes in one statement. If a row's scope has an enabled webhook,
/// the row is not inserted and its result is nullopt. Insert such a row with `insert`, and publish the event
/// in the same transaction.
pg::Batch<std::optional<core::Time>> insert_batch(
    pg::BatchConnection& connection, std::span<NewFeedback const> rows);

struct Key {
    core::ScopeId scope_id{};
    core::Uuid id;
};

/// Like `get`, but for the threads of many callers in one statement.
pg::Batch<std::optional<Feedback>> get_batch(pg::BatchConnection& connection, std::span<Key const> keys);

/// The thread, even if it is deleted; nullopt if it does not exist.
std::optional<Feedback> get(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// Like `get`, but also locks the thread until the transaction ends. The lock serialises the replies and
/// status changes of one thread.
std::optional<Feedback> lock(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// One page of all threads that are not deleted, newest first. Without `after`, the first page.
struct PlainPage {
    core::ScopeId scope_id{};
    std::optional<paging::Position> after;
    std::size_t limit = 0;
};

/// The pages of many callers in one statement.
pg::Batch<std::vector<Feedback>> list_batch(
    pg::BatchConnection& connection, std::span<PlainPage const> pages);

/// At most `limit` threads in the filter's order, starting after `after`.
std::vector<Feedback> list(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<paging::Position> const& after, std::size_t limit);

/// Stores the fields that a PATCH may change, and advances `version` and `updated_at`. Updates `f`.
void update(pg::Tx& tx, core::Scope const& scope, Feedback& f);

/// Closes the thread and marks it as deleted. Updates `f`.
void soft_delete(pg::Tx& tx, core::Scope const& scope, Feedback& f);

/// Counts a reply and returns its time, which is later than the time of every other reply of the thread.
/// Updates `f`. The thread must be locked.
core::Time count_reply(pg::Tx& tx, core::Scope const& scope, Feedback& f, bool internal);

struct GroupCount {
    std::string group; ///< status | category | priority | total
    std::string value; ///< empty for `total`, and for threads without a priority
    std::int64_t count = 0;
};

/// The number of threads that are not deleted: in total, and for each status, category and priority. Values
/// without threads are absent.
std::vector<GroupCount> stats(pg::Tx& tx, core::Scope const& scope);

} // namespace feedback::feedbacks
