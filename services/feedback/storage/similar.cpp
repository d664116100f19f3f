#include "storage/similar.hpp"

#include "domain/search_text.hpp"
#include "pg/row.hpp"
#include "pg/uuids.hpp"
#include "storage/search_index.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace feedback::similar {

namespace {

using search_text::Term;
using Ids = std::vector<core::Uuid>;

constexpr std::size_t max_words = 16;
constexpr std::int64_t newest = 1000;
/// The numbers of threads that are taken from each source.
constexpr std::size_t from_newest = 50, from_all_words = 50, from_rare_words = 100;
/// For a user, this factor multiplies the numbers of threads from the index, because the user may read few of
/// them.
constexpr std::size_t for_user = 10;
constexpr std::size_t rare_words = 2;
/// The numbers of threads in the sample up to which a word is rare enough to read its threads from the index:
/// together with all other words, or on its own.
constexpr std::int64_t rare_enough_together = search_index::sample / 50;
constexpr std::int64_t rare_enough_alone = search_index::sample / 250;

/// The newest threads of the reach that contain any of the words, highest rank first.
Ids newest_with(pg::Tx& tx, core::Scope const& scope, std::string const& any_word, Reach const& reach)
{
    auto const rows = tx.run(R"(
        WITH newest AS MATERIALIZED (
            (
                SELECT f.feedback_id
                FROM feedbacks f
                WHERE f.scope_id = $1 AND $3::text IS NULL AND f.deleted_at IS NULL AND f.merged_into IS NULL
                ORDER BY f.created_at DESC, f.feedback_id DESC
                LIMIT $5::bigint
            )
            UNION ALL
            (
                SELECT f.feedback_id
                FROM feedbacks f
                WHERE f.scope_id = $1 AND f.user_id = $3::text AND f.deleted_at IS NULL AND f.merged_into IS NULL
                ORDER BY f.created_at DESC, f.feedback_id DESC
                LIMIT $5::bigint
            )
            UNION ALL
            (
                SELECT f.feedback_id
                FROM feedbacks f
                WHERE f.scope_id = $1 AND $3::text IS NOT NULL AND $4 AND f.visibility = 'public'
                    AND f.deleted_at IS NULL AND f.merged_into IS NULL
                ORDER BY f.created_at DESC, f.feedback_id DESC
                LIMIT $5::bigint
            )
        )
        SELECT n.feedback_id
        FROM newest n
        CROSS JOIN LATERAL (
            SELECT x.terms
            FROM search_documents x
            WHERE x.scope_id = $1 AND x.feedback_id = n.feedback_id AND x.document_id = n.feedback_id
            LIMIT 1
        ) AS d
        WHERE d.terms @@ $2::tsquery
        ORDER BY ts_rank(d.terms, $2::tsquery) DESC, n.feedback_id DESC
        LIMIT $6::bigint)",
        {scope.id, any_word, reach.user_id, reach.board, newest, from_newest});
    return pg::read_rows(rows, &pg::RowReader::uuid);
}

/// Threads with the rare words of the title, at any time and of any user.
Ids with_rare_words(pg::Tx& tx, core::Scope const& scope, std::vector<Term> const& words, std::size_t factor)
{
    std::vector<std::string> queries;
    queries.reserve(words.size());
    for (auto const& word : words)
        queries.push_back(search_text::tsquery(scope.id, word));
    auto const counts = search_index::counts_in_newest(tx, scope, queries);
    std::vector<std::size_t> order(words.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(counts[i], i); });

    Ids ids;
    auto const add = [&](std::vector<Term> const& terms, bool all, std::size_t most) {
        auto const query =
            all ? search_text::tsquery_of_all(scope.id, terms) : search_text::tsquery_of_any(scope.id, terms);
        auto const found = search_index::threads(tx, scope, query, false, std::nullopt, most * factor);
        ids.insert(ids.end(), found.begin(), found.end());
    };
    if (counts[order.front()] <= rare_enough_together) add(words, true, from_all_words);
    std::vector<Term> rare;
    for (std::size_t i = 0; i < std::min(order.size(), rare_words); ++i) {
        if (counts[order[i]] <= rare_enough_alone) rare.push_back(words[order[i]]);
    }
    if (!rare.empty()) add(rare, false, from_rare_words);
    return ids;
}

Similar read(pg::RowReader& r)
{
    Similar thread;
    thread.id = r.uuid();
    thread.title = r.text();
    thread.status = r.one_of<Status>();
    thread.vote_count = r.integer();
    thread.rank = static_cast<double>(r.integer()) / 1'000'000;
    return thread;
}

} // namespace

std::vector<Similar> candidates(
    pg::Tx& tx, core::Scope const& scope, std::string_view title, Reach const& reach)
{
    auto const words = search_text::words_of(title, max_words);
    if (words.empty()) return {};
    auto const any_word = search_text::tsquery_of_any(scope.id, words);
    Ids ids = newest_with(tx, scope, any_word, reach);
    auto const rare = with_rare_words(tx, scope, words, reach.user_id ? for_user : 1);
    ids.insert(ids.end(), rare.begin(), rare.end());
    std::ranges::sort(ids);
    auto const repeated = std::ranges::unique(ids);
    ids.erase(repeated.begin(), repeated.end());
    auto const rows = tx.run(R"(
        SELECT f.feedback_id, f.title, f.status, f.vote_count,
            round(1000000 * ts_rank(d.terms, $3::tsquery))::bigint
        FROM unnest($2::uuid[]) AS u(id)
        JOIN feedbacks f ON f.scope_id = $1 AND f.feedback_id = u.id
        JOIN search_documents d
            ON d.scope_id = $1 AND d.feedback_id = u.id AND d.document_id = u.id
        WHERE f.deleted_at IS NULL AND f.merged_into IS NULL AND d.terms @@ $3::tsquery
            AND ($4::text IS NULL OR f.user_id = $4::text OR ($5 AND f.visibility = 'public'))
        ORDER BY 5 DESC, f.feedback_id DESC
        LIMIT 200)",
        {scope.id, pg::uuids(ids), any_word, reach.user_id, reach.board});
    return pg::read_rows(rows, read);
}

} // namespace feedback::similar
