#include "storage/replies.hpp"

#include "pg/row.hpp"

namespace feedback::replies {

namespace {

Reply read(pg::RowReader& r)
{
    Reply reply;
    reply.feedback_id = r.uuid();
    reply.id = r.uuid();
    reply.created_at = r.time();
    reply.body = r.text();
    reply.attachment_ids = r.texts();
    reply.author_id = r.text();
    reply.author_role = r.text();
    reply.internal = r.boolean();
    return reply;
}

} // namespace

void insert(pg::Tx& tx, core::Scope const& scope, Reply const& reply)
{
    tx.run(
        R"(
        INSERT INTO replies (
            scope_id, feedback_id, reply_id, created_at, body, attachment_ids, author_id, author_role,
            internal
        )
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9))",
        {scope.id, reply.feedback_id, reply.id, reply.created_at, reply.body, reply.attachment_ids,
            reply.author_id, reply.author_role, reply.internal});
}

std::vector<Reply> list(pg::Tx& tx, core::Scope const& scope, core::Uuid feedback_id, bool with_internal,
    std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const result = tx.run(
        R"(
        SELECT feedback_id, reply_id, created_at, body, attachment_ids, author_id, author_role, internal
        FROM replies
        WHERE scope_id = $1 AND feedback_id = $2 AND ($3 OR NOT internal)
            AND (created_at, reply_id) > ($4::timestamptz, $5::uuid)
        ORDER BY created_at, reply_id
        LIMIT $6::bigint)",
        {scope.id, feedback_id, with_internal, paging::time_of(after, core::Time::min()),
            paging::id_of(after), limit});
    return pg::read_rows(result, read);
}

std::vector<Reply> list_of_author(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& author_id, Key const& after, std::size_t limit)
{
    auto const result = tx.run(
        R"(
        SELECT feedback_id, reply_id, created_at, body, attachment_ids, author_id, author_role, internal
        FROM replies
        WHERE scope_id = $1 AND author_id = $2 AND (feedback_id, reply_id) > ($3::uuid, $4::uuid)
        ORDER BY feedback_id, reply_id
        LIMIT $5::bigint)",
        {scope.id, author_id, after.feedback_id, after.id, limit});
    return pg::read_rows(result, read);
}

} // namespace feedback::replies
