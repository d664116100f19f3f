#include "storage/search_index.hpp"

#include "pg/row.hpp"
#include "pg/uuids.hpp"

#include <algorithm>

namespace feedback::search_index {

namespace {

/// The number of bytes of all words of a term.
std::size_t length_of(search_text::Term const& term)
{
    std::size_t length = 0;
    for (auto const& phrase : term) {
        for (auto const& token : phrase.tokens)
            length += token.text.size();
    }
    return length;
}

} // namespace

std::vector<core::Uuid> threads(pg::Tx& tx, core::Scope const& scope, std::string const& tsquery,
    bool with_internal, std::optional<paging::Position> const& after, std::size_t most)
{
    auto const rows = tx.run(R"(
        SELECT found_id
        FROM search_threads($1, $2::tsquery, $3, $4, $5, $6)
        ORDER BY found_at DESC, found_id DESC)",
        {scope.id, tsquery, with_internal, paging::time_of(after), paging::id_of(after), most});
    return pg::read_rows(rows, &pg::RowReader::uuid);
}

std::vector<std::int64_t> counts_in_newest(
    pg::Tx& tx, core::Scope const& scope, std::vector<std::string> const& tsqueries)
{
    auto const rows = tx.run(R"(
        WITH newest AS MATERIALIZED (
            SELECT f.feedback_id
            FROM feedbacks f
            WHERE f.scope_id = $1
            ORDER BY f.created_at DESC, f.feedback_id DESC
            LIMIT 500
        ), documents AS MATERIALIZED (
            SELECT d.terms
            FROM newest n
            CROSS JOIN LATERAL (
                SELECT x.terms
                FROM search_documents x
                WHERE x.scope_id = $1 AND x.feedback_id = n.feedback_id AND x.document_id = n.feedback_id
                LIMIT 1
            ) AS d
        )
        SELECT (SELECT count(*) FROM documents d WHERE d.terms @@ t.query)
        FROM unnest($2::text[]::tsquery[]) WITH ORDINALITY AS t(query, place)
        ORDER BY t.place)",
        {scope.id, tsqueries});
    return pg::read_rows(rows, &pg::RowReader::integer);
}

search_text::Term const& rarest(
    pg::Tx& tx, core::Scope const& scope, std::span<search_text::Term const> terms)
{
    if (terms.size() == 1) return terms.front();
    std::vector<std::string> tsqueries;
    tsqueries.reserve(terms.size());
    for (auto const& term : terms)
        tsqueries.push_back(search_text::tsquery(scope.id, term));
    auto const counts = counts_in_newest(tx, scope, tsqueries);
    std::size_t best = 0;
    for (std::size_t i = 1; i < terms.size(); ++i) {
        bool const is_rarer = counts[i] < counts[best] ||
                              (counts[i] == counts[best] && length_of(terms[i]) > length_of(terms[best]));
        if (is_rarer) best = i;
    }
    return terms[best];
}

} // namespace feedback::search_index
