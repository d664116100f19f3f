#pragma once

#include "core/scope.hpp"
#include "domain/feedback.hpp"
#include "domain/filter.hpp"
#include "paging/cursor.hpp"
#include "pg/batch.hpp"
#include "pg/tx.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
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

/// Like `insert`, but for many rows of many scopes in one statement. If a row's scope has an enabled webhook
/// or the setting `notifyEmail`, the row is not inserted and its result is nullopt. Insert such a row with
/// `insert`, and publish the event and request the email in the same transaction.
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

/// Like `lock`, for several threads, in the order of their ids. Unknown ids are skipped.
std::vector<Feedback> lock_all(pg::Tx& tx, core::Scope const& scope, std::span<core::Uuid const> ids);

/// Stores the fields that a PATCH may change, and advances `version` and `updated_at`. Updates `threads`,
/// which must be locked and distinct.
void update(pg::Tx& tx, core::Scope const& scope, std::span<Feedback> threads);

/// Closes `source`, which `target` continues, and advances the versions of both. Updates both. They must be
/// locked.
void close_merged(pg::Tx& tx, core::Scope const& scope, Feedback& source, Feedback& target);

/// Closes the thread and marks it as deleted. Updates `f`.
void soft_delete(pg::Tx& tx, core::Scope const& scope, Feedback& f);

/// Counts a reply and returns its time, which is later than the time of every other reply of the thread.
/// Updates `f`. The thread must be locked.
core::Time count_reply(pg::Tx& tx, core::Scope const& scope, Feedback& f, Reply const& reply);

enum class ReplyChange : std::uint8_t { edited, deleted };

/// Records that a reply was edited or deleted. A deletion lowers the counters; the times of the last reply
/// stay. The ETag changes for all callers who can see the reply. Updates `f`. The thread must be locked.
void count_reply_change(
    pg::Tx& tx, core::Scope const& scope, Feedback& f, Reply const& reply, ReplyChange change);

struct GroupCount {
    std::string group; ///< status | category | priority | total
    std::string value; ///< empty for `total`, and for threads without a priority
    std::int64_t count = 0;
};

/// The number of threads that are not deleted: in total, and for each status, category and priority. Values
/// without threads are absent.
std::vector<GroupCount> stats(pg::Tx& tx, core::Scope const& scope);

/// A time of creation; both ends are exclusive.
struct Period {
    std::optional<core::Time> created_after, created_before;
};

struct Percentiles {
    std::chrono::milliseconds p50{}, p90{};
};

struct Durations {
    std::optional<Percentiles> first_response; ///< from creation to the first public reply by staff
    std::optional<Percentiles> resolution;     ///< from creation to the last change to resolved or closed
};

/// The durations of the threads that were created in the period. Deleted and merged threads do not count.
/// Nullopt: no thread has such a duration.
Durations durations(pg::Tx& tx, core::Scope const& scope, Period const& period);

} // namespace feedback::feedbacks
