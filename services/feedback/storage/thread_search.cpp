#include "storage/thread_search.hpp"

#include "domain/search_text.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "pg/uuids.hpp"
#include "storage/feedback_rows.hpp"
#include "storage/list_conditions.hpp"
#include "storage/search_index.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <string>

namespace feedback::thread_search {

namespace {

using feedbacks::Restriction;
using search_text::Query;
using search_text::Term;
using Ids = std::vector<core::Uuid>;

/// The number of threads that are walked before the index is read. Walking a thread takes about 2 µs.
constexpr std::size_t walked = 3000;
/// The number of threads that are taken from the index, and the number of threads of the first part that is
/// checked.
constexpr std::size_t many = 10'000, few = 200;
/// The number of matches among the walked threads from which a list in another order than by time is walked.
constexpr std::size_t frequent = 300;

/// See list_by_rank.
constexpr std::size_t ranked = 1000, walked_for_rank = 5000, enough_for_rank = 100;

Query query_of(Filter const& filter)
{
    return search_text::parse_query(*filter.text);
}

/// The threads of the rarest term, if they are fewer than `most`. So these are all threads that can match.
std::optional<Ids> all_candidates(
    pg::Tx& tx, core::Scope const& scope, Filter const& filter, Query const& query, std::size_t most)
{
    auto const& term = search_index::rarest(tx, scope, query.required);
    auto ids = search_index::threads(
        tx, scope, search_text::tsquery(scope.id, term), !filter.for_user, std::nullopt, most);
    if (ids.size() == most) return std::nullopt;
    return ids;
}

/// Collects a page of `limit` matches from the threads of the index, part by part. `take(part, missing)`
/// returns the matches among `part`, at most `missing`. Stops when the page is full, so no more threads are
/// checked than needed.
template <class Item, class Take>
std::vector<Item> collect(Ids const& ids, std::size_t limit, Take const& take)
{
    std::vector<Item> items;
    for (std::size_t at = 0, size = few; at < ids.size() && items.size() < limit; at += size, size *= 2) {
        Ids const part(ids.begin() + static_cast<std::ptrdiff_t>(at),
            ids.begin() + static_cast<std::ptrdiff_t>(std::min(at + size, ids.size())));
        auto found = take(part, limit - items.size());
        std::ranges::move(found, std::back_inserter(items));
    }
    return items;
}

/// A page of a list in the order of time, when walking has not filled it.
std::vector<Feedback> list_by_index(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    Query const& query, std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const term = search_text::tsquery(scope.id, search_index::rarest(tx, scope, query.required));
    auto const ids = search_index::threads(tx, scope, term, !filter.for_user, after, many);
    auto rows = collect<Feedback>(ids, limit, [&](Ids const& part, std::size_t missing) {
        return feedbacks::list_restricted(tx, scope, filter, {.among = &part, .walk = {}}, after, missing);
    });
    if (rows.size() == limit || ids.size() < many) return rows;
    return feedbacks::list_restricted(tx, scope, filter, {}, after, limit);
}

/// The newest threads that match, at most `ranked`.
Ids newest_matches(pg::Tx& tx, core::Scope const& scope, Filter const& filter, Query const& query)
{
    auto ids =
        feedbacks::ids_restricted(tx, scope, filter, {.among = nullptr, .walk = walked_for_rank}, ranked);
    if (ids.size() >= enough_for_rank || query.required.empty()) return ids;
    auto const term = search_text::tsquery(scope.id, search_index::rarest(tx, scope, query.required));
    auto const found = search_index::threads(tx, scope, term, !filter.for_user, std::nullopt, many);
    return collect<core::Uuid>(found, ranked, [&](Ids const& part, std::size_t missing) {
        return feedbacks::ids_restricted(tx, scope, filter, {.among = &part, .walk = {}}, missing);
    });
}

} // namespace

std::vector<Feedback> list(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const query = query_of(filter);
    if (query.empty()) return {};
    if (query.required.empty()) return feedbacks::list_restricted(tx, scope, filter, {}, after, limit);
    auto rows =
        feedbacks::list_restricted(tx, scope, filter, {.among = nullptr, .walk = walked}, after, limit);
    if (rows.size() == limit) return rows;
    if (filter.sort == Sort::created_at) return list_by_index(tx, scope, filter, query, after, limit);
    auto const ids = all_candidates(tx, scope, filter, query, many);
    return feedbacks::list_restricted(
        tx, scope, filter, {.among = ids ? &*ids : nullptr, .walk = {}}, after, limit);
}

std::vector<ByVotes> list_by_votes(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<VotePosition> const& after, std::size_t limit)
{
    auto const query = query_of(filter);
    if (query.empty()) return {};
    std::optional<Ids> ids;
    if (!query.required.empty()) {
        auto const newest =
            feedbacks::ids_restricted(tx, scope, filter, {.among = nullptr, .walk = walked}, frequent);
        if (newest.size() < frequent) ids = all_candidates(tx, scope, filter, query, many);
    }
    return feedbacks::list_by_votes_restricted(
        tx, scope, filter, {.among = ids ? &*ids : nullptr, .walk = {}}, after, limit);
}

std::vector<ByRank> list_by_rank(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const query = query_of(filter);
    if (query.empty()) return {};
    auto const ids = newest_matches(tx, scope, filter, query);
    // Without a required term, all threads have the rank 0. No lexeme is `0`, because all begin with their
    // scope.
    auto const terms =
        query.required.empty() ? std::string("'0'") : search_text::tsquery_of_any(scope.id, query.required);
    auto const last = after && after->time ? after->time->time_since_epoch().count()
                                           : std::numeric_limits<std::int64_t>::max();
    static constexpr auto sql = pg::sql<feedbacks::columns>(R"(
        WITH matches AS MATERIALIZED (
            SELECT u.id, (
                SELECT coalesce(round(1000000 * max(ts_rank(d.terms, $3::tsquery))), 0)::bigint
                FROM (
                    SELECT s.terms
                    FROM search_documents s
                    WHERE s.scope_id = $1 AND s.feedback_id = u.id AND ($4 OR NOT s.internal)
                    ORDER BY s.document_id
                    LIMIT $8::bigint
                ) AS d
            ) AS rank
            FROM unnest($2::uuid[]) AS u(id)
        )
        SELECT m.rank, {columns}
        FROM matches m
        JOIN feedbacks f ON f.scope_id = $1 AND f.feedback_id = m.id
        WHERE (m.rank, m.id) < ($5::bigint, $6::uuid)
        ORDER BY m.rank DESC, m.id DESC
        LIMIT $7::bigint)");
    auto const rows = tx.run(sql, {scope.id, pg::uuids(ids), terms, !filter.for_user, last,
                                      paging::id_of(after), limit, feedbacks::max_documents});
    return pg::read_rows(rows, [](pg::RowReader& r) {
        core::Time const rank{std::chrono::microseconds(r.integer())};
        ByRank item;
        item.thread = feedbacks::read(r);
        item.position = {rank, item.thread.id};
        return item;
    });
}

} // namespace feedback::thread_search
