#include "storage/user_data.hpp"

#include "blobs/attachment_rows.hpp"
#include "blobs/erasure.hpp"
#include "domain/feedback.hpp"
#include "pg/parts.hpp"
#include "pg/row.hpp"
#include "pg/uuids.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

namespace feedback::user_rows {

namespace {

using user_data::Erasure;
using Ids = std::vector<core::Uuid>;

constexpr std::array parts_of_thread{pg::Parts{"reply_edits", "feedback_id", "edit_id"},
    pg::Parts{"replies", "feedback_id", "reply_id"}, pg::Parts{"status_moves", "feedback_id", "move_id"},
    pg::Parts{"votes", "feedback_id", "user_id"}, pg::Parts{"followers", "feedback_id", "user_id"},
    pg::Parts{"thread_mails", "feedback_id", "mail_id"},
    pg::Parts{"thread_opt_outs", "feedback_id", "address_hash"}};

// Requests lock a thread before the rows that belong to it. So do these steps, and they lock threads in the
// order of their ids. Hence they wait for requests and for each other, and do not deadlock.

void sort_distinct(Ids& ids)
{
    std::ranges::sort(ids);
    auto const repeated = std::ranges::unique(ids);
    ids.erase(repeated.begin(), repeated.end());
}

void lock_threads(pg::Tx& tx, core::Scope const& scope, std::span<core::Uuid const> ids)
{
    if (ids.empty()) return;
    tx.run(R"(
        SELECT 1
        FROM feedbacks
        WHERE scope_id = $1 AND feedback_id = ANY ($2::uuid[])
        ORDER BY feedback_id
        FOR NO KEY UPDATE)",
        {scope.id, pg::uuids(ids)});
}

/// At most `limit` threads for which `table` has a row of the user, locked.
Ids lock_threads_with(pg::Tx& tx, Erasure const& e, std::string const& table, std::size_t limit)
{
    auto const rows =
        tx.run("SELECT feedback_id FROM " + table +
                   " WHERE scope_id = $1 AND user_id = $2 ORDER BY feedback_id LIMIT $3::bigint",
            {e.scope.id, e.user_id, limit});
    auto threads = pg::read_rows(rows, &pg::RowReader::uuid);
    lock_threads(tx, e.scope, threads);
    return threads;
}

/// At most `limit` threads of the user, locked.
Ids lock_own_threads(pg::Tx& tx, Erasure const& e, std::size_t limit)
{
    auto const rows = tx.run(R"(
        SELECT feedback_id
        FROM feedbacks
        WHERE scope_id = $1 AND user_id = $2
        ORDER BY feedback_id
        LIMIT $3::bigint
        FOR UPDATE)",
        {e.scope.id, e.user_id, limit});
    return pg::read_rows(rows, &pg::RowReader::uuid);
}

std::size_t delete_rows(pg::Tx& tx, core::Scope const& scope, std::span<core::Uuid const> threads)
{
    auto const deleted =
        tx.run("DELETE FROM feedbacks WHERE scope_id = $1 AND feedback_id = ANY ($2::uuid[])",
            {scope.id, pg::uuids(threads)});
    return deleted.affected_rows();
}

/// A thread is deleted only if `limit` allows to delete all that belongs to it before.
std::size_t delete_threads(pg::Tx& tx, Erasure const& e, std::size_t limit)
{
    auto const threads = lock_own_threads(tx, e, limit);
    if (threads.empty()) return 0;
    std::size_t done = 0;
    for (auto const& parts : parts_of_thread)
        done += pg::delete_parts(tx, e.scope.id, parts, threads, limit - done);
    done += blobs::erase_attachments_of(tx, e.scope.id, threads, limit - done).size();
    auto const fitting = std::min(limit - done, threads.size());
    return done + delete_rows(tx, e.scope, std::span(threads).first(fitting));
}

std::size_t anonymize_threads(pg::Tx& tx, Erasure const& e, std::size_t limit)
{
    auto const threads = lock_own_threads(tx, e, limit);
    auto const changed = tx.run(R"(
        UPDATE feedbacks
        SET user_id = $3, user_email = NULL, user_email_verified = NULL, app_context = NULL,
            author_id = CASE WHEN author_id = user_id THEN $3 ELSE author_id END,
            version = version + 1, updated_at = clock_timestamp()
        WHERE scope_id = $1 AND feedback_id = ANY ($2::uuid[]))",
        {e.scope.id, pg::uuids(threads), e.pseudonym});
    return changed.affected_rows();
}

struct Replies {
    Ids ids;
    Ids threads; ///< distinct, and locked
};

/// At most `limit` replies of the user.
Replies find_replies(pg::Tx& tx, Erasure const& e, std::size_t limit)
{
    auto const rows = tx.run(R"(
        SELECT feedback_id, reply_id
        FROM replies
        WHERE scope_id = $1 AND author_id = $2
        ORDER BY feedback_id, reply_id
        LIMIT $3::bigint)",
        {e.scope.id, e.user_id, limit});
    Replies found;
    for (auto const& row : rows) {
        pg::RowReader r(row);
        found.threads.push_back(r.uuid());
        found.ids.push_back(r.uuid());
    }
    sort_distinct(found.threads);
    lock_threads(tx, e.scope, found.threads);
    return found;
}

/// Deletes the previous bodies of these replies.
void delete_edits(pg::Tx& tx, Erasure const& e, Replies const& replies)
{
    tx.run(R"(
        DELETE FROM reply_edits
        WHERE scope_id = $1 AND feedback_id = ANY ($2::uuid[]) AND reply_id = ANY ($3::uuid[]))",
        {e.scope.id, pg::uuids(replies.threads), pg::uuids(replies.ids)});
}

/// Deletes these replies of the user, and lowers the counters of their threads. `version` advances only if
/// a reply was not an internal note, because users see it. Returns the ids of the replies' attachments.
Ids delete_and_count(pg::Tx& tx, Erasure const& e, Replies const& replies)
{
    auto const rows = tx.run(R"(
        WITH gone AS (
            DELETE FROM replies
            WHERE scope_id = $1 AND author_id = $2 AND feedback_id = ANY ($3::uuid[]) AND reply_id = ANY ($4::uuid[])
            RETURNING feedback_id, internal, attachment_ids, created_at
        ), counted AS (
            UPDATE feedbacks f
            SET reply_count = f.reply_count - n.all_replies,
                public_reply_count = f.public_reply_count - n.public_replies,
                internal_changes = f.internal_changes + n.all_replies - n.public_replies,
                first_response_at = CASE
                    WHEN f.first_response_at = ANY (n.times) THEN (
                        SELECT min(r.created_at)
                        FROM replies r
                        WHERE r.scope_id = $1 AND r.feedback_id = f.feedback_id AND NOT r.internal
                            AND r.author_role <> 'user' AND r.reply_id <> ALL ($4::uuid[])
                    )
                    ELSE f.first_response_at
                END,
                version = CASE WHEN n.public_replies > 0 THEN f.version + 1 ELSE f.version END,
                updated_at = CASE WHEN n.public_replies > 0 THEN clock_timestamp() ELSE f.updated_at END
            FROM (
                SELECT feedback_id, count(*) AS all_replies, count(*) FILTER (WHERE NOT internal) AS public_replies,
                    array_agg(created_at) AS times
                FROM gone
                GROUP BY feedback_id
            ) AS n
            WHERE f.scope_id = $1 AND f.feedback_id = n.feedback_id
        )
        SELECT unnest(attachment_ids)
        FROM gone)",
        {e.scope.id, e.user_id, pg::uuids(replies.threads), pg::uuids(replies.ids)});
    return pg::read_rows(rows, &pg::RowReader::uuid);
}

std::size_t delete_replies(pg::Tx& tx, Erasure const& e, std::size_t limit)
{
    auto const found = find_replies(tx, e, limit);
    delete_edits(tx, e, found);
    auto const attachments = delete_and_count(tx, e, found);
    blobs::erase_attachments(tx, e.scope.id, attachments, found.threads);
    return found.ids.size();
}

std::size_t anonymize_replies(pg::Tx& tx, Erasure const& e, std::size_t limit)
{
    auto const found = find_replies(tx, e, limit);
    delete_edits(tx, e, found);
    tx.run(R"(
        WITH changed AS (
            UPDATE replies
            SET author_id = $5
            WHERE scope_id = $1 AND author_id = $2 AND feedback_id = ANY ($3::uuid[]) AND reply_id = ANY ($4::uuid[])
            RETURNING feedback_id, internal
        )
        UPDATE feedbacks f
        SET version = f.version + 1, updated_at = clock_timestamp()
        FROM (SELECT DISTINCT feedback_id FROM changed WHERE NOT internal) AS n
        WHERE f.scope_id = $1 AND f.feedback_id = n.feedback_id)",
        {e.scope.id, e.user_id, pg::uuids(found.threads), pg::uuids(found.ids), e.pseudonym});
    return found.ids.size();
}

/// Removes ids of attachments from the threads and their replies. The threads must be locked.
void remove_attachment_ids(pg::Tx& tx, core::Scope const& scope, std::span<core::Uuid const> threads,
    std::span<core::Uuid const> attachments)
{
    if (threads.empty() || attachments.empty()) return;
    pg::Param const thread_ids(pg::uuids(threads)), gone(pg::uuids(attachments));
    tx.run(R"(
        UPDATE feedbacks
        SET attachment_ids = ARRAY(
                SELECT id FROM unnest(attachment_ids) WITH ORDINALITY AS a(id, place)
                WHERE id <> ALL ($3::uuid[]) ORDER BY place),
            version = version + 1, updated_at = clock_timestamp()
        WHERE scope_id = $1 AND feedback_id = ANY ($2::uuid[]) AND attachment_ids && $3::uuid[])",
        {scope.id, thread_ids, gone});
    tx.run(R"(
        UPDATE replies
        SET attachment_ids = ARRAY(
                SELECT id FROM unnest(attachment_ids) WITH ORDINALITY AS a(id, place)
                WHERE id <> ALL ($3::uuid[]) ORDER BY place)
        WHERE scope_id = $1 AND feedback_id = ANY ($2::uuid[]) AND attachment_ids && $3::uuid[])",
        {scope.id, thread_ids, gone});
}

} // namespace

bool can_be_author(core::UserId const& user_id)
{
    return is_user(user_id.text());
}

std::size_t erase_threads(pg::Tx& tx, Erasure const& erasure, std::size_t limit)
{
    return erasure.anonymizes ? anonymize_threads(tx, erasure, limit) : delete_threads(tx, erasure, limit);
}

std::size_t erase_replies(pg::Tx& tx, Erasure const& erasure, std::size_t limit)
{
    if (!can_be_author(erasure.user_id)) return 0;
    return erasure.anonymizes ? anonymize_replies(tx, erasure, limit) : delete_replies(tx, erasure, limit);
}

std::size_t erase_attachments(pg::Tx& tx, Erasure const& erasure, std::size_t limit)
{
    auto const found =
        blobs::attachment_rows::list_of_owner(tx, erasure.scope.id, erasure.user_id, core::Uuid(), limit);
    Ids ids, threads;
    for (auto const& attachment : found) {
        ids.push_back(attachment.id);
        if (attachment.parent_id) threads.push_back(*attachment.parent_id);
    }
    if (found.empty()) return 0;
    sort_distinct(threads);
    lock_threads(tx, erasure.scope, threads);
    auto const erased = blobs::erase_attachments(tx, erasure.scope.id, ids, threads);
    remove_attachment_ids(tx, erasure.scope, threads, erased);
    // The others were attached before the threads were locked. The next step finds their threads.
    return erased.size() == found.size() ? found.size() : limit;
}

std::size_t erase_assignments(pg::Tx& tx, Erasure const& erasure, std::size_t limit)
{
    auto const changed = tx.run(R"(
        UPDATE feedbacks f
        SET assignee_id = NULL, assignee_email = NULL, version = version + 1, updated_at = clock_timestamp()
        FROM (
            SELECT feedback_id
            FROM feedbacks
            WHERE scope_id = $1 AND assignee_id = $2
            ORDER BY feedback_id
            LIMIT $3::bigint
            FOR NO KEY UPDATE
        ) AS found
        WHERE f.scope_id = $1 AND f.feedback_id = found.feedback_id)",
        {erasure.scope.id, erasure.user_id, limit});
    return changed.affected_rows();
}

std::size_t erase_votes(pg::Tx& tx, Erasure const& erasure, std::size_t limit)
{
    auto const threads = lock_threads_with(tx, erasure, "votes", limit);
    pg::lock_scope(tx, erasure.scope.id); // as votes::remove
    auto const gone = tx.run(R"(
        WITH gone AS (
            DELETE FROM votes
            WHERE scope_id = $1 AND user_id = $2 AND feedback_id = ANY ($3::uuid[])
            RETURNING feedback_id
        )
        UPDATE feedbacks f
        SET vote_count = f.vote_count - 1, votes_changed_at = clock_timestamp()
        FROM gone
        WHERE f.scope_id = $1 AND f.feedback_id = gone.feedback_id)",
        {erasure.scope.id, erasure.user_id, pg::uuids(threads)});
    // A merge has moved the others before their threads were locked. The next step finds them.
    return gone.affected_rows() == threads.size() ? threads.size() : limit;
}

std::size_t erase_following(pg::Tx& tx, Erasure const& erasure, std::size_t limit)
{
    auto const threads = lock_threads_with(tx, erasure, "followers", limit);
    auto const gone = tx.run(R"(
        DELETE FROM followers
        WHERE scope_id = $1 AND user_id = $2 AND feedback_id = ANY ($3::uuid[]))",
        {erasure.scope.id, erasure.user_id, pg::uuids(threads)});
    return gone.affected_rows() == threads.size() ? threads.size() : limit; // as erase_votes
}

std::size_t erase_status_changes(pg::Tx& tx, Erasure const& erasure, std::size_t limit)
{
    if (!can_be_author(erasure.user_id)) return 0;
    auto const changed = tx.run(R"(
        UPDATE status_moves m
        SET actor_id = $4
        FROM (
            SELECT feedback_id, move_id
            FROM status_moves
            WHERE scope_id = $1 AND actor_id = $2
            ORDER BY feedback_id, move_id
            LIMIT $3::bigint
        ) AS found
        WHERE m.scope_id = $1 AND m.feedback_id = found.feedback_id AND m.move_id = found.move_id)",
        {erasure.scope.id, erasure.user_id, limit, erasure.pseudonym});
    return changed.affected_rows();
}

} // namespace feedback::user_rows
