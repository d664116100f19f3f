#include "storage/status_changes.hpp"

#include "pg/row.hpp"

namespace feedback::status_changes {

namespace {

StatusChange read(pg::RowReader& r)
{
    StatusChange change;
    change.id = r.uuid();
    change.at = r.time();
    change.actor_id = r.text();
    change.actor_role = r.text();
    change.from = r.optional_text();
    change.to = r.text();
    return change;
}

} // namespace

void insert(
    pg::Tx& tx, core::Scope const& scope, core::Uuid feedback_id, Author const& actor, Status from, Status to)
{
    tx.run(R"(
        INSERT INTO status_moves (
            scope_id, feedback_id, move_id, at, actor_id, actor_role, from_status, to_status
        )
        VALUES ($1, $2, $3, clock_timestamp(), $4, $5, $6, $7))",
        {scope.id, feedback_id, core::Uuid::v7(), actor.id, actor.role, to_string(from), to_string(to)});
}

std::vector<StatusChange> list(pg::Tx& tx, core::Scope const& scope, core::Uuid feedback_id,
    std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const result = tx.run(
        R"(
        SELECT move_id, at, actor_id, actor_role, from_status, to_status
        FROM (
            SELECT move_id, at, actor_id, actor_role, from_status, to_status
            FROM status_moves
            WHERE scope_id = $1 AND feedback_id = $2
            UNION ALL
            SELECT feedback_id, created_at, author_id, author_role, NULL, 'open'
            FROM feedbacks
            WHERE scope_id = $1 AND feedback_id = $2
        ) AS moves
        WHERE (at, move_id) < ($3::timestamptz, $4::uuid)
        ORDER BY at DESC, move_id DESC
        LIMIT $5::bigint)",
        {scope.id, feedback_id, paging::time_of(after), paging::id_of(after), limit});
    return pg::read_rows(result, read);
}

} // namespace feedback::status_changes
