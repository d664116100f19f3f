#include "storage/feedback_lists.hpp"

#include "core/error.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/feedback_rows.hpp"
#include "storage/list_conditions.hpp"
#include "storage/thread_search.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>

namespace feedback::feedbacks {

namespace {

pg::Rows run_list(pg::Tx& tx, core::Scope const& scope, std::string_view select, Filter const& filter,
    Restriction const& restriction, std::optional<paging::Position> const& after, std::size_t limit)
{
    pg::ParamList params{scope.id};
    std::string const key(sort_key(filter)), order = " ORDER BY " + key + " DESC, f.feedback_id DESC LIMIT ";
    std::string page("FROM feedbacks f WHERE f.scope_id = $1");
    page += conditions(filter, restriction, params);
    page += " AND (" + key + ", f.feedback_id) < (" + params.add(paging::time_of(after)) + "::timestamptz, ";
    page += params.add(paging::id_of(after)) + "::uuid)";
    if (restriction.walk)
        page =
            "FROM (SELECT f.* " + page + order + params.add(*restriction.walk) + "::bigint) AS f WHERE true";
    std::string sql(select);
    sql += page + text_condition(scope.id, filter, params) + order + params.add(limit) + "::bigint";
    return tx.run(sql, params);
}

/// Throws VALIDATION_ERROR if a list was begun more than an hour ago: the votes since then are counted for
/// each page.
void require_recent(pg::Tx& tx, core::Time since)
{
    auto const result = tx.run(
        "SELECT $1::timestamptz BETWEEN now() - interval '1 hour' AND now() + interval '1 minute'", {since});
    auto const row = result.front();
    if (!pg::RowReader(row).boolean())
        throw core::Error::validation(
            {{"?cursor", "invalid_cursor", "has expired. Begin again with the first page"}});
}

} // namespace

pg::Batch<std::vector<Feedback>> list_batch(pg::BatchConnection& connection, std::span<PlainPage const> pages)
{
    std::vector<pg::Param> const params{pg::column(pages, [](PlainPage const& p) { return p.scope_id; }),
        pg::column(pages, [](PlainPage const& p) { return paging::time_of(p.after); }),
        pg::column(pages, [](PlainPage const& p) { return paging::id_of(p.after); }),
        pg::column(pages, [](PlainPage const& p) { return p.limit; })};
    static constexpr auto sql = pg::sql<columns>(R"(
        SELECT k.place, {columns}
        FROM unnest($1::bigint[], $2::timestamptz[], $3::uuid[], $4::bigint[]) WITH ORDINALITY AS k(
            scope_id, at, id, page_limit, place
        )
        CROSS JOIN LATERAL (
            SELECT *
            FROM feedbacks x
            WHERE x.scope_id = k.scope_id AND (x.created_at, x.feedback_id) < (k.at, k.id)
                AND x.deleted_at IS NULL
            ORDER BY x.created_at DESC, x.feedback_id DESC
            LIMIT k.page_limit
        ) AS f)");
    auto const result = co_await connection.run(pg::scopes_of(pages), sql, params);
    std::vector<std::vector<Feedback>> lists(pages.size());
    for (auto const row : result) {
        pg::RowReader r(row);
        auto const place = static_cast<std::size_t>(r.integer() - 1);
        if (lists[place].empty()) lists[place].reserve(pages[place].limit);
        lists[place].push_back(read(r));
    }
    // The join returns the rows of each page in order, but SQL does not guarantee this order. Checking the
    // order here is cheaper than an ORDER BY.
    auto const newer = [](Feedback const& a, Feedback const& b) {
        return std::tie(a.created_at, a.id) > std::tie(b.created_at, b.id);
    };
    for (auto& items : lists) {
        if (!std::ranges::is_sorted(items, newer)) std::ranges::sort(items, newer);
    }
    co_return lists;
}

std::vector<Feedback> list(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<paging::Position> const& after, std::size_t limit)
{
    if (filter.text) return thread_search::list(tx, scope, filter, after, limit);
    return list_restricted(tx, scope, filter, {}, after, limit);
}

std::vector<Feedback> list_restricted(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    Restriction const& restriction, std::optional<paging::Position> const& after, std::size_t limit)
{
    static constexpr auto select = pg::sql<columns>("SELECT {columns} ");
    return pg::read_rows(run_list(tx, scope, select, filter, restriction, after, limit), read);
}

std::vector<core::Uuid> ids_restricted(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    Restriction const& restriction, std::size_t limit)
{
    auto const rows = run_list(tx, scope, "SELECT f.feedback_id ", filter, restriction, std::nullopt, limit);
    return pg::read_rows(rows, &pg::RowReader::uuid);
}

std::vector<ByVotes> list_by_votes(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<VotePosition> const& after, std::size_t limit)
{
    if (filter.text) return thread_search::list_by_votes(tx, scope, filter, after, limit);
    return list_by_votes_restricted(tx, scope, filter, {}, after, limit);
}

std::vector<ByVotes> list_by_votes_restricted(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    Restriction const& restriction, std::optional<VotePosition> const& after, std::size_t limit)
{
    if (after) require_recent(tx, after->since);
    pg::ParamList params{scope.id, after ? std::optional(after->since) : std::nullopt,
        after ? after->votes : std::numeric_limits<std::int64_t>::max(), after ? after->id : core::Uuid(),
        limit};
    auto const filtered = conditions(filter, restriction, params) + text_condition(scope.id, filter, params);
    // The first branch reads a range of the index by votes: threads whose votes have not changed since the
    // first page. The second branch reads the others, with their number of votes at that time.
    auto const sql = std::string(R"(
        WITH first_page AS (
            SELECT coalesce($2::timestamptz, greatest(now() - interval '1 minute', (
                SELECT max(votes_changed_at) FROM feedbacks WHERE scope_id = $1 AND votes_changed_at IS NOT NULL
            ))) AS at
        ), page AS (
            (
                SELECT f.feedback_id, f.vote_count::bigint AS votes
                FROM feedbacks f
                WHERE f.scope_id = $1 AND (f.vote_count, f.feedback_id) < ($3::bigint, $4::uuid)
                    AND (f.votes_changed_at IS NULL OR f.votes_changed_at <= (SELECT at FROM first_page)))") +
                     filtered + R"(
                ORDER BY f.vote_count DESC, f.feedback_id DESC
                LIMIT $5::bigint
            )
            UNION ALL
            (
                SELECT f.feedback_id, n.votes
                FROM feedbacks f
                CROSS JOIN LATERAL (
                    SELECT f.vote_count - count(*) AS votes
                    FROM votes v
                    WHERE v.scope_id = $1 AND v.feedback_id = f.feedback_id
                        AND v.counted_at > (SELECT at FROM first_page)
                ) AS n
                WHERE f.scope_id = $1 AND f.votes_changed_at > (SELECT at FROM first_page)
                    AND (n.votes, f.feedback_id) < ($3::bigint, $4::uuid))" +
                     filtered + R"(
                ORDER BY n.votes DESC, f.feedback_id DESC
                LIMIT $5::bigint
            )
        )
        SELECT p.votes, (SELECT at FROM first_page), )" +
                     std::string(pg::sql<columns>("{columns}")) + R"(
        FROM page p
        JOIN feedbacks f ON f.scope_id = $1 AND f.feedback_id = p.feedback_id
        ORDER BY p.votes DESC, p.feedback_id DESC
        LIMIT $5::bigint)";
    return pg::read_rows(tx.run(sql, params), [](pg::RowReader& r) {
        ByVotes item;
        item.position.votes = r.integer();
        item.position.since = r.time();
        item.thread = read(r);
        item.position.id = item.thread.id;
        return item;
    });
}

} // namespace feedback::feedbacks
