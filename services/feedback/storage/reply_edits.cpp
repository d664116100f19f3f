#include "storage/reply_edits.hpp"

#include "pg/row.hpp"

namespace feedback::reply_edits {

namespace {

ReplyEdit read(pg::RowReader& r)
{
    ReplyEdit edit;
    edit.feedback_id = r.uuid();
    edit.reply_id = r.uuid();
    edit.id = r.uuid();
    edit.at = r.time();
    edit.body = r.text();
    return edit;
}

} // namespace

std::optional<core::Time> insert(pg::Tx& tx, core::Scope const& scope, Reply const& reply)
{
    auto const result = tx.run(R"(
        INSERT INTO reply_edits (scope_id, feedback_id, reply_id, edit_id, edited_at, body)
        SELECT r.scope_id, r.feedback_id, r.reply_id, $4,
            greatest(clock_timestamp(), coalesce(r.edited_at, r.created_at) + interval '1 microsecond'), r.body
        FROM replies r
        WHERE r.scope_id = $1 AND r.feedback_id = $2 AND r.reply_id = $3
            AND $5::bigint > (
                SELECT count(*)
                FROM reply_edits e
                WHERE e.scope_id = $1 AND e.feedback_id = $2 AND e.reply_id = $3
            )
        RETURNING edited_at)",
        {scope.id, reply.feedback_id, reply.id, core::Uuid::v7(), max_per_reply});
    return pg::read_first(result, &pg::RowReader::time);
}

std::vector<ReplyEdit> list(pg::Tx& tx, core::Scope const& scope, core::Uuid feedback_id, core::Uuid reply_id,
    std::optional<paging::Position> const& after, std::size_t limit)
{
    // A reply has at most `max_per_reply` rows, so they need no index for this order.
    auto const result = tx.run(R"(
        SELECT feedback_id, reply_id, edit_id, edited_at, body
        FROM reply_edits
        WHERE scope_id = $1 AND feedback_id = $2 AND reply_id = $3
            AND (edited_at, edit_id) < ($4::timestamptz, $5::uuid)
        ORDER BY edited_at DESC, edit_id DESC
        LIMIT $6::bigint)",
        {scope.id, feedback_id, reply_id, paging::time_of(after), paging::id_of(after), limit});
    return pg::read_rows(result, read);
}

std::vector<ReplyEdit> list_of_author(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& author_id, Key const& after, std::size_t limit)
{
    auto const result = tx.run(R"(
        SELECT e.feedback_id, e.reply_id, e.edit_id, e.edited_at, e.body
        FROM replies r
        JOIN reply_edits e
            ON e.scope_id = r.scope_id AND e.feedback_id = r.feedback_id AND e.reply_id = r.reply_id
        WHERE r.scope_id = $1 AND r.author_id = $2 AND (r.feedback_id, r.reply_id) >= ($3::uuid, $4::uuid)
            AND (e.feedback_id, e.reply_id, e.edit_id) > ($3::uuid, $4::uuid, $5::uuid)
        ORDER BY e.feedback_id, e.reply_id, e.edit_id
        LIMIT $6::bigint)",
        {scope.id, author_id, after.feedback_id, after.reply_id, after.id, limit});
    return pg::read_rows(result, read);
}

} // namespace feedback::reply_edits
