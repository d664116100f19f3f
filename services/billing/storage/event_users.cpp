#include "storage/event_users.hpp"

#include "domain/named_users.hpp"
#include "pg/row.hpp"
#include "storage/event_archive.hpp"
#include "storage/event_pages.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace billing::event_users {

namespace {

/// The columns user_id, received_at and archive_id as arrays.
std::vector<pg::Param> params(core::ScopeId scope_id, std::span<Filing const> rows)
{
    return {scope_id, pg::column(rows, [](Filing const& row) { return row.user_id; }),
        pg::column(rows, [](Filing const& row) { return row.event.received_at; }),
        pg::column(rows, [](Filing const& row) { return row.event.archive_id; })};
}

/// The next events after the position `after`, in the order of the archive. Their payloads have about
/// event_archive::page_bytes in total, at most.
std::vector<event_pages::Event> next_events(
    pg::Tx& tx, core::ScopeId scope_id, EventKey const& after, std::size_t limit)
{
    static constexpr auto sql = pg::sql<event_pages::select_fitting>(R"(
        WITH found AS (
            SELECT x.archive_id, x.received_at, x.provider, x.user_id,
                CASE WHEN x.is_filed THEN 'null' ELSE x.payload END AS payload
            FROM events x
            WHERE x.scope_id = $2 AND (x.received_at, x.archive_id) > ($3::timestamptz, $4::uuid)
            ORDER BY x.received_at, x.archive_id
            LIMIT $5::bigint
        )
        {select_fitting})");
    auto const rows =
        tx.run(sql, {event_archive::page_bytes, scope_id, after.received_at, after.archive_id, limit});
    return pg::read_rows(rows, event_pages::read);
}

std::vector<core::UserId> users_of(event_pages::Event const& event)
{
    auto const document = parse_document(event.payload);
    auto users = document ? named_users(event.provider.value(), *document) : named_users(event.payload);
    std::erase_if(users, [&](core::UserId const& id) { return event.user_id == id; });
    return users;
}

} // namespace

EventKey read_key(pg::RowReader& r)
{
    core::Uuid const archive_id = r.uuid();
    return {archive_id, r.time()};
}

void insert(pg::Tx& tx, core::ScopeId scope_id, std::span<Filing const> rows)
{
    if (rows.empty()) return;
    tx.run(R"(
        INSERT INTO event_users (scope_id, user_id, received_at, archive_id)
        SELECT $1, u.user_id, u.received_at, u.archive_id
        FROM unnest($2::text[], $3::timestamptz[], $4::uuid[]) AS u(user_id, received_at, archive_id)
        ON CONFLICT DO NOTHING)",
        params(scope_id, rows));
}

void remove(pg::Tx& tx, core::ScopeId scope_id, std::span<Filing const> rows)
{
    if (rows.empty()) return;
    tx.run(R"(
        DELETE FROM event_users e
        USING unnest($2::text[], $3::timestamptz[], $4::uuid[]) AS u(user_id, received_at, archive_id)
        WHERE e.scope_id = $1 AND e.user_id = u.user_id AND e.received_at = u.received_at
            AND e.archive_id = u.archive_id)",
        params(scope_id, rows));
}

bool is_named(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id)
{
    auto const found =
        tx.run("SELECT FROM event_users WHERE scope_id = $1 AND user_id = $2 LIMIT 1", {scope_id, user_id});
    return !found.empty();
}

bool file_older(pg::Tx& tx, core::ScopeId scope_id, std::size_t limit)
{
    auto const position =
        tx.run("SELECT archive_id, received_at FROM event_filing WHERE scope_id = $1 FOR UPDATE", {scope_id});
    auto const after = pg::read_first(position, read_key);
    if (!after) return false;
    auto const events = next_events(tx, scope_id, *after, limit);
    if (events.empty()) {
        tx.run("DELETE FROM event_filing WHERE scope_id = $1 AND until < now()", {scope_id});
        return false;
    }
    std::vector<Filing> rows;
    for (auto const& event : events)
        for (auto& user : users_of(event))
            rows.push_back({event.key, std::move(user)});
    insert(tx, scope_id, rows);
    auto const& last = events.back().key;
    tx.run("UPDATE event_filing SET received_at = $2, archive_id = $3 WHERE scope_id = $1",
        {scope_id, last.received_at, last.archive_id});
    return true;
}

} // namespace billing::event_users
