#include "storage/opt_outs.hpp"

#include "pg/row.hpp"

namespace feedback::opt_outs {

void add_for_thread(pg::Tx& tx, core::Scope const& scope, MailKey::Recipient const& recipient)
{
    tx.run(R"(
        WITH RECURSIVE merged AS (
            SELECT f.feedback_id, f.merged_into
            FROM feedbacks f
            WHERE f.scope_id = $1 AND f.feedback_id = $2
            UNION
            SELECT f.feedback_id, f.merged_into
            FROM merged m
            JOIN feedbacks f ON f.scope_id = $1 AND f.feedback_id = m.merged_into
        )
        INSERT INTO thread_opt_outs (scope_id, feedback_id, address_hash)
        SELECT f.scope_id, f.feedback_id, $3::text
        FROM feedbacks f
        WHERE f.scope_id = $1 AND f.feedback_id IN (SELECT feedback_id FROM merged)
        ORDER BY f.feedback_id
        FOR KEY SHARE OF f
        ON CONFLICT DO NOTHING)",
        {scope.id, recipient.feedback_id, recipient.address_hash});
}

void add_for_scope(pg::Tx& tx, core::Scope const& scope, std::string const& address_hash)
{
    tx.run(R"(
        INSERT INTO scope_opt_outs (scope_id, address_hash)
        VALUES ($1, $2)
        ON CONFLICT DO NOTHING)",
        {scope.id, address_hash});
}

std::set<std::size_t> find(pg::Tx& tx, std::span<Key const> keys)
{
    if (keys.empty()) return {};
    auto const rows = tx.run(R"(
        SELECT k.place - 1
        FROM unnest($1::bigint[], $2::uuid[], $3::text[]) WITH ORDINALITY AS k(
            scope_id, feedback_id, address_hash, place
        )
        WHERE EXISTS (
                SELECT
                FROM thread_opt_outs t
                WHERE t.scope_id = k.scope_id AND t.feedback_id = k.feedback_id
                    AND t.address_hash = k.address_hash
            )
            OR EXISTS (
                SELECT
                FROM scope_opt_outs s
                WHERE s.scope_id = k.scope_id AND s.address_hash = k.address_hash
            ))",
        {pg::column(keys, [](Key const& k) { return k.scope_id; }),
            pg::column(keys, [](Key const& k) { return k.recipient.feedback_id; }),
            pg::column(keys, [](Key const& k) { return std::string_view(k.recipient.address_hash); })});
    std::set<std::size_t> places;
    for (auto const& row : rows)
        places.insert(static_cast<std::size_t>(pg::RowReader(row).integer()));
    return places;
}

} // namespace feedback::opt_outs
