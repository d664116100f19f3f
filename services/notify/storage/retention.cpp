#include "storage/retention.hpp"

#include "domain/notification.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/keys.hpp"
#include "storage/notification_attachments.hpp"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string_view>

namespace notify::retention {

namespace {

/// A notification or a broadcast.
struct Key {
    core::ScopeId scope_id{};
    core::Uuid id;
};

using Keys = std::vector<Key>;

/// The rows of a step that are old enough.
struct Found {
    Keys rows;
    std::map<core::ScopeId, Position> unfinished; ///< as Purged::unfinished
};

/// SQL: the next old rows of each scope. `kept` selects the rows that have not been purged yet: scope_id, id
/// and the time `at` that makes them old. $1: scopes, $2: for each scope, the time before which rows are old,
/// $3 and $4: for each scope, the position after which the rows are read, $5: the maximum number of rows of
/// each scope.
template <auto const& kept>
constexpr auto next_old = pg::sql<kept>(R"(
    SELECT s.scope_id, x.at, x.id
    FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::uuid[])
        AS s(scope_id, before, after_at, after_id)
    CROSS JOIN LATERAL (
        SELECT k.at, k.id
        FROM ({kept}) AS k
        WHERE k.scope_id = s.scope_id AND (k.at, k.id) > (s.after_at, s.after_id) AND k.at < s.before
        ORDER BY k.at, k.id
        LIMIT $5::bigint
    ) AS x)");

// The expressions and the conditions are those of the indexes.

constexpr auto notifications_with_content = pg::sql(R"(
            SELECT scope_id, notification_id AS id,
                coalesce(failed_at, sent_at, delivered_at, opened_at, queued_at) AS at
            FROM notifications
            WHERE status <> 'queued' AND content_erased_at IS NULL)");
constexpr auto all_notifications =
    pg::sql("SELECT scope_id, notification_id AS id, created_at AS at FROM notifications");
constexpr auto broadcasts_with_content = pg::sql(R"(
            SELECT scope_id, broadcast_id AS id, completed_at AS at
            FROM broadcasts
            WHERE content_erased_at IS NULL)");
constexpr auto all_broadcasts =
    pg::sql("SELECT scope_id, broadcast_id AS id, created_at AS at FROM broadcasts");

/// Reads the next rows of each scope with `sql` (`next_old`). `before` has the time before which the rows of
/// a scope are old.
template <class Before> Found find(pg::Tx& tx, std::string_view sql, Step const& step, Before before)
{
    // The statement reads the beginning of an index range. The planner expects only a few rows to pass the
    // policy of row-level security, so it would read the whole range and sort it.
    tx.run("SELECT set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)");
    auto const result = tx.run(
        sql, {pg::column(step.scopes, [](Scope const& s) { return s.id; }), pg::column(step.scopes, before),
                 pg::column(step.scopes, [](Scope const& s) { return s.after.at; }),
                 pg::column(step.scopes, [](Scope const& s) { return s.after.id; }), step.rows});

    struct Last {
        std::size_t count = 0;
        Position position;
    };

    std::map<core::ScopeId, Last> last;
    Found found;
    for (auto const& row : result) {
        pg::RowReader r(row);
        auto const scope_id = r.scope_id();
        Position const position{r.time(), r.uuid()};
        found.rows.push_back({scope_id, position.id});
        last[scope_id] = {last[scope_id].count + 1, position};
    }
    for (auto const& [scope_id, l] : last)
        if (l.count == step.rows) found.unfinished.emplace(scope_id, l.position);
    return found;
}

Found find_old(pg::Tx& tx, std::string_view sql, Step const& step)
{
    return find(tx, sql, step, [](Scope const& s) { return s.before; });
}

Found find_with_old_content(pg::Tx& tx, std::string_view sql, Step const& step)
{
    return find(tx, sql, step, [&](Scope const&) { return step.now - content_retention; });
}

/// Locks the rows that `sql` selects: scope and id. Its first parameters are the scopes and ids of `rows`.
Keys lock_rows(pg::Tx& tx, std::string_view sql, Keys const& rows, std::initializer_list<pg::Param> more = {})
{
    std::vector<pg::Param> params{scope_column(rows), id_column(rows)};
    params.insert(params.end(), more.begin(), more.end());
    return pg::read_rows(tx.run(sql, params), [](pg::RowReader& r) {
        auto const scope_id = r.scope_id();
        return Key{scope_id, r.uuid()};
    });
}

/// SQL: whether a notification `n` has no job. $3: `queues()`. OFFSET makes PostgreSQL look up the jobs of
/// each notification. Otherwise it may read all jobs of the scope.
constexpr auto has_no_job = pg::sql(R"(NOT EXISTS (
                SELECT
                FROM jobs j
                WHERE j.scope_id = n.scope_id AND j.queue = ANY ($3::text[]) AND j.ref = n.notification_id
                OFFSET 0
            ))");

pg::Param queues()
{
    return pg::column(notification_queues, [](std::string_view name) { return name; });
}

/// Which files of notifications are deleted.
enum class Files : std::uint8_t { inline_only, all };

/// Deletes at most `limit` files. Returns the number of deleted files.
std::size_t delete_files(pg::Tx& tx, Keys const& rows, Files which, std::size_t limit)
{
    auto const deleted = tx.run(R"(
        DELETE FROM notification_attachments f
        USING (
            SELECT a.scope_id, a.notification_id, a.place
            FROM unnest($1::bigint[], $2::uuid[]) AS k(scope_id, notification_id)
            JOIN notification_attachments a
                ON a.scope_id = k.scope_id AND a.notification_id = k.notification_id
            WHERE $3::boolean OR a.content IS NOT NULL
            LIMIT $4::bigint
        ) AS old
        WHERE f.scope_id = old.scope_id AND f.notification_id = old.notification_id AND f.place = old.place
        RETURNING f.scope_id, f.attachment_id)",
        {scope_column(rows), id_column(rows), which == Files::all, limit});
    std::map<core::ScopeId, std::vector<core::Uuid>> uploads;
    for (auto const& row : deleted) {
        pg::RowReader r(row);
        auto const scope_id = r.scope_id();
        if (auto const upload = r.optional_uuid()) uploads[scope_id].push_back(*upload);
    }
    for (auto const& [scope_id, ids] : uploads)
        notification_attachments::erase_unused_uploads(tx, scope_id, ids);
    return deleted.size();
}

/// The result of a step that has deleted only files: the next step begins at the same positions.
Purged again(Step const& step)
{
    Purged purged;
    for (auto const& scope : step.scopes)
        purged.unfinished.emplace(scope.id, scope.after);
    return purged;
}

} // namespace

std::vector<Scope> scopes_of(pg::Tx& tx, std::vector<core::ScopeId> const& scopes, core::Time now)
{
    auto const rows = tx.run(R"(
        SELECT s.scope_id, coalesce((c.document ->> $2)::bigint, $3::bigint)
        FROM unnest($1::bigint[]) AS s(scope_id)
        LEFT JOIN scope_settings c ON c.scope_id = s.scope_id)",
        {scopes, setting, default_days});
    return pg::read_rows(rows, [now](pg::RowReader& r) {
        auto const id = r.scope_id();
        return Scope{.id = id, .before = now - std::chrono::days(r.integer())};
    });
}

Purged erase_contents(pg::Tx& tx, Step const& step)
{
    auto const found = find_with_old_content(tx, next_old<notifications_with_content>, step);
    if (found.rows.empty()) return {};
    static constexpr auto lock_sql = pg::sql<has_no_job>(R"(
        SELECT n.scope_id, n.notification_id
        FROM unnest($1::bigint[], $2::uuid[]) AS k(scope_id, notification_id)
        JOIN notifications n ON n.scope_id = k.scope_id AND n.notification_id = k.notification_id
        WHERE n.status <> 'queued'
            AND {has_no_job}
        FOR NO KEY UPDATE OF n SKIP LOCKED)");
    auto const locked = lock_rows(tx, lock_sql, found.rows, {queues()});
    if (delete_files(tx, locked, Files::inline_only, step.files) == step.files) return again(step);
    tx.run(R"(
        UPDATE notifications n
        SET subject = '', body = '', data = NULL, push = NULL, content_erased_at = $3
        FROM unnest($1::bigint[], $2::uuid[]) AS k(scope_id, notification_id)
        WHERE n.scope_id = k.scope_id AND n.notification_id = k.notification_id)",
        {scope_column(locked), id_column(locked), step.now});
    return {locked.size(), found.unfinished};
}

Purged delete_notifications(pg::Tx& tx, Step const& step)
{
    auto const found = find_old(tx, next_old<all_notifications>, step);
    if (found.rows.empty()) return {};
    static constexpr auto lock_sql = pg::sql<has_no_job>(R"(
        SELECT n.scope_id, n.notification_id
        FROM unnest($1::bigint[], $2::uuid[]) AS k(scope_id, notification_id)
        JOIN unnest($4::bigint[], $5::timestamptz[]) AS s(scope_id, before) ON s.scope_id = k.scope_id
        JOIN notifications n ON n.scope_id = k.scope_id AND n.notification_id = k.notification_id
        WHERE n.status <> 'queued' AND n.queued_at < s.before
            AND {has_no_job}
        FOR UPDATE OF n SKIP LOCKED)");
    auto const locked = lock_rows(tx, lock_sql, found.rows,
        {queues(), pg::column(step.scopes, [](Scope const& s) { return s.id; }),
            pg::column(step.scopes, [](Scope const& s) { return s.before; })});
    if (delete_files(tx, locked, Files::all, step.files) == step.files) return again(step);
    tx.run(R"(
        DELETE FROM notifications n
        USING unnest($1::bigint[], $2::uuid[]) AS k(scope_id, notification_id)
        WHERE n.scope_id = k.scope_id AND n.notification_id = k.notification_id)",
        {scope_column(locked), id_column(locked)});
    return {locked.size(), found.unfinished};
}

Purged erase_broadcast_contents(pg::Tx& tx, Step const& step)
{
    auto const found = find_with_old_content(tx, next_old<broadcasts_with_content>, step);
    auto const erased = tx.run(R"(
        UPDATE broadcasts b
        SET title = '', body = '', push = NULL, content_erased_at = $3
        FROM unnest($1::bigint[], $2::uuid[]) AS k(scope_id, broadcast_id)
        WHERE b.scope_id = k.scope_id AND b.broadcast_id = k.broadcast_id)",
        {scope_column(found.rows), id_column(found.rows), step.now});
    return {erased.affected_rows(), found.unfinished};
}

Purged delete_broadcasts(pg::Tx& tx, Step const& step)
{
    auto const found = find_old(tx, next_old<all_broadcasts>, step);
    if (found.rows.empty()) return {};
    auto const locked = lock_rows(tx, R"(
        SELECT b.scope_id, b.broadcast_id
        FROM unnest($1::bigint[], $2::uuid[]) AS k(scope_id, broadcast_id)
        JOIN broadcasts b ON b.scope_id = k.scope_id AND b.broadcast_id = k.broadcast_id
        WHERE b.completed_at IS NOT NULL
        FOR UPDATE OF b SKIP LOCKED)",
        found.rows);
    tx.run(R"(
        DELETE FROM broadcasts b
        USING unnest($1::bigint[], $2::uuid[]) AS k(scope_id, broadcast_id)
        WHERE b.scope_id = k.scope_id AND b.broadcast_id = k.broadcast_id)",
        {scope_column(locked), id_column(locked)});
    return {locked.size(), found.unfinished};
}

bool is_content_erased(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& notification_id)
{
    auto const erased = tx.run(R"(
        SELECT 1
        FROM notifications
        WHERE scope_id = $1 AND notification_id = $2 AND content_erased_at IS NOT NULL)",
        {scope_id, notification_id});
    return !erased.empty();
}

} // namespace notify::retention
