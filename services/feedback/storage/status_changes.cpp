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
    change.merged_into = r.optional_uuid();
    change.merged_from = r.optional_uuid();
    return change;
}

} // namespace

void insert(pg::Tx& tx, core::Scope const& scope, Author const& actor, std::span<Move const> moves)
{
    if (moves.empty()) return;
    tx.run(R"(
        INSERT INTO status_moves (
            scope_id, feedback_id, move_id, at, actor_id, actor_role, from_status, to_status, merged_into,
            merged_from
        )
        SELECT $1::bigint, n.feedback_id, n.move_id, clock_timestamp(), $2::text, $3::text, n.from_status,
            n.to_status, n.merged_into, n.merged_from
        FROM unnest($4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::uuid[], $9::uuid[]) AS n(
            feedback_id, move_id, from_status, to_status, merged_into, merged_from
        ))",
        {scope.id, actor.id, actor.role, pg::column(moves, [](Move const& m) { return m.feedback_id; }),
            pg::column(moves, [](Move const&) { return core::Uuid::v7(); }),
            pg::column(moves, [](Move const& m) { return to_string(m.from); }),
            pg::column(moves, [](Move const& m) { return to_string(m.to); }),
            pg::column(moves, [](Move const& m) { return m.merged_into; }),
            pg::column(moves, [](Move const& m) { return m.merged_from; })});
}

std::vector<StatusChange> list(pg::Tx& tx, core::Scope const& scope, core::Uuid feedback_id,
    std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const result = tx.run(
        R"(
        SELECT move_id, at, actor_id, actor_role, from_status, to_status, merged_into, merged_from
        FROM (
            SELECT move_id, at, actor_id, actor_role, from_status, to_status, merged_into, merged_from
            FROM status_moves
            WHERE scope_id = $1 AND feedback_id = $2
            UNION ALL
            SELECT feedback_id, created_at, author_id, author_role, NULL, 'open', NULL, NULL
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
