#include "storage/replies.hpp"

#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "pg/uuids.hpp"
#include "storage/search.hpp"

namespace feedback::replies {

namespace {

constexpr auto columns = pg::sql(R"(
    r.feedback_id, r.reply_id, r.created_at, r.edited_at, r.body, r.attachment_ids, r.author_id,
    r.author_role, r.internal)");

Reply read(pg::RowReader& r)
{
    Reply reply;
    reply.feedback_id = r.uuid();
    reply.id = r.uuid();
    reply.created_at = r.time();
    reply.edited_at = r.optional_time();
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
    search_documents::replace_reply(tx, scope, reply);
}

std::optional<Reply> get(pg::Tx& tx, core::Scope const& scope, core::Uuid feedback_id, core::Uuid id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM replies r
        WHERE r.scope_id = $1 AND r.feedback_id = $2 AND r.reply_id = $3)"),
        {scope.id, feedback_id, id});
    return pg::read_first(result, read);
}

void edit(pg::Tx& tx, core::Scope const& scope, Reply const& reply)
{
    tx.run(R"(
        UPDATE replies
        SET body = $4, edited_at = $5
        WHERE scope_id = $1 AND feedback_id = $2 AND reply_id = $3)",
        {scope.id, reply.feedback_id, reply.id, reply.body, reply.edited_at});
    search_documents::replace_reply(tx, scope, reply);
}

core::Time remove(pg::Tx& tx, core::Scope const& scope, Reply const& reply)
{
    auto const result = tx.run(R"(
        DELETE FROM replies
        WHERE scope_id = $1 AND feedback_id = $2 AND reply_id = $3
        RETURNING clock_timestamp())",
        {scope.id, reply.feedback_id, reply.id});
    auto const row = result.front();
    return pg::RowReader(row).time();
}

std::vector<Reply> list(pg::Tx& tx, core::Scope const& scope, core::Uuid feedback_id, bool with_internal,
    std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM replies r
        WHERE r.scope_id = $1 AND r.feedback_id = $2 AND ($3 OR NOT r.internal)
            AND (r.created_at, r.reply_id) > ($4::timestamptz, $5::uuid)
        ORDER BY r.created_at, r.reply_id
        LIMIT $6::bigint)"),
        {scope.id, feedback_id, with_internal, paging::time_of(after, core::Time::min()),
            paging::id_of(after), limit});
    return pg::read_rows(result, read);
}

std::vector<std::vector<Reply>> list_first(
    pg::Tx& tx, core::Scope const& scope, std::span<core::Uuid const> feedback_ids, std::size_t limit)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT k.place, {columns}
        FROM unnest($2::uuid[]) WITH ORDINALITY AS k(feedback_id, place)
        CROSS JOIN LATERAL (
            SELECT *
            FROM replies x
            WHERE x.scope_id = $1 AND x.feedback_id = k.feedback_id
            ORDER BY x.created_at, x.reply_id
            LIMIT $3::bigint
        ) AS r
        ORDER BY k.place, r.created_at, r.reply_id)"),
        {scope.id, pg::uuids(feedback_ids), limit});
    std::vector<std::vector<Reply>> lists(feedback_ids.size());
    for (auto const row : result) {
        pg::RowReader r(row);
        auto const place = static_cast<std::size_t>(r.integer() - 1);
        lists[place].push_back(read(r));
    }
    return lists;
}

std::vector<Reply> list_of_author(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& author_id, Key const& after, std::size_t limit)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM replies r
        WHERE r.scope_id = $1 AND r.author_id = $2 AND (r.feedback_id, r.reply_id) > ($3::uuid, $4::uuid)
        ORDER BY r.feedback_id, r.reply_id
        LIMIT $5::bigint)"),
        {scope.id, author_id, after.feedback_id, after.id, limit});
    return pg::read_rows(result, read);
}

} // namespace feedback::replies
