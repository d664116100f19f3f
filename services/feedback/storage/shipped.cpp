#include "storage/shipped.hpp"

#include "pg/row.hpp"

namespace feedback::shipped {

std::vector<Shipped> list(pg::Tx& tx, core::Scope const& scope, std::size_t limit)
{
    auto const rows = tx.run(R"(
        SELECT f.feedback_id, f.title, f.body, f.category, latest.at
        FROM (
            SELECT recent.feedback_id, max(recent.at) AS at
            FROM (
                SELECT feedback_id, at
                FROM status_moves
                WHERE scope_id = $1 AND to_status = 'resolved'
                ORDER BY at DESC
                LIMIT 500
            ) AS recent
            GROUP BY recent.feedback_id
        ) AS latest
        JOIN feedbacks f ON f.scope_id = $1 AND f.feedback_id = latest.feedback_id
        WHERE f.status = 'resolved' AND f.visibility = 'public' AND f.deleted_at IS NULL
            AND f.merged_into IS NULL
        ORDER BY latest.at DESC, f.feedback_id DESC
        LIMIT $2::bigint)",
        {scope.id, limit});
    return pg::read_rows(rows, [](pg::RowReader& r) {
        Shipped found;
        found.id = r.uuid();
        found.title = r.text();
        found.body = r.text();
        found.category = r.one_of<Category>();
        found.at = r.time();
        return found;
    });
}

} // namespace feedback::shipped
