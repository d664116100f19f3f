#include "storage/event_erasure.hpp"

#include "auth/erased_user_rows.hpp"
#include "domain/event_erasure.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "pg/uuids.hpp"
#include "storage/event_archive.hpp"
#include "storage/event_claims.hpp"
#include "storage/event_pages.hpp"
#include "storage/event_users.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace billing::event_erasure {

namespace {

using event_pages::select_fitting;

/// Maximum number of events that a transaction processes. Events that arrive wait for the scope's lock until
/// the transaction ends.
constexpr std::size_t max_events = 100;

/// An event after the erasure.
struct Rewritten {
    event_users::EventKey key;
    ErasedEvent event;
};

void update(pg::Tx& tx, core::ScopeId scope_id, std::span<Rewritten const> rows)
{
    auto const column = [&](auto const& member) { return pg::column(rows, member); };
    tx.run(R"(
        UPDATE events e
        SET user_id = u.user_id, payload = u.payload,
            subject = CASE WHEN u.is_erased THEN NULL ELSE e.subject END,
            erased_at = CASE WHEN u.is_erased THEN coalesce(e.erased_at, now()) ELSE e.erased_at END
        FROM unnest($2::timestamptz[], $3::uuid[], $4::text[], $5::text[], $6::boolean[]) AS u(
            received_at, archive_id, user_id, payload, is_erased
        )
        WHERE e.scope_id = $1 AND e.received_at = u.received_at AND e.archive_id = u.archive_id)",
        {scope_id, column([](Rewritten const& row) { return row.key.received_at; }),
            column([](Rewritten const& row) { return row.key.archive_id; }),
            column([](Rewritten const& row) { return pg::Param(row.event.user_id); }),
            column([](Rewritten const& row) { return std::string_view(row.event.payload); }),
            column([](Rewritten const& row) { return row.event.is_erased; })});
}

/// The events that are about the same payments as the events `ids`, and that name no user, become events of
/// the user. So `erase_own` erases them, too.
void adopt_events_of_payments(
    pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id, std::span<core::Uuid const> ids)
{
    tx.run(R"(
        WITH found AS MATERIALIZED (
            SELECT DISTINCT o.received_at, o.archive_id
            FROM payment_references r
            JOIN payment_references o ON o.scope_id = r.scope_id AND o.reference = r.reference
            WHERE r.scope_id = $1 AND r.archive_id = ANY ($2::uuid[])
        )
        UPDATE events e
        SET user_id = $3
        FROM found f
        WHERE e.scope_id = $1 AND e.received_at = f.received_at AND e.archive_id = f.archive_id
            AND e.user_id IS NULL AND e.erased_at IS NULL)",
        {scope_id, pg::uuids(ids), user_id});
}

/// Removes the ids of the payments of erased events: they would lead from later events to the pseudonym.
void erase_payments(
    pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id, std::span<Rewritten const> rows)
{
    std::vector<core::Uuid> erased;
    for (auto const& row : rows)
        if (row.event.is_erased) erased.push_back(row.key.archive_id);
    if (erased.empty()) return;
    adopt_events_of_payments(tx, scope_id, user_id, erased);
    auto const removed = tx.run("DELETE FROM payment_references WHERE scope_id = $1 AND archive_id = ANY "
                                "($2::uuid[]) RETURNING reference",
        {scope_id, pg::uuids(erased)});
    if (auth::erased_user_rows::were_erased(tx, scope_id, std::span(&user_id.text(), 1)).front())
        event_claims::insert_erased_payments(tx, scope_id, pg::read_rows(removed, &pg::RowReader::text));
}

/// Erases the user from the events in `rows`. `owner`: the user whose event each of them is; nullopt: the
/// user of the event's row. Returns false if there are no rows.
bool erase(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id, core::UserId const& pseudonym,
    pg::Rows const& rows, std::optional<core::UserId> const& owner = std::nullopt)
{
    std::vector<Rewritten> rewritten;
    std::vector<event_users::Filing> unfiled;
    for (auto const& found : pg::read_rows(rows, event_pages::read)) {
        unfiled.push_back({found.key, user_id});
        if (!found.provider) continue;
        auto erased = erase_from_event(
            *found.provider, owner ? owner : found.user_id, found.payload, std::span(&user_id, 1), pseudonym);
        for (auto const& user : erased.unfiled)
            unfiled.push_back({found.key, user});
        rewritten.push_back({found.key, std::move(erased)});
    }
    update(tx, scope_id, rewritten);
    erase_payments(tx, scope_id, user_id, rewritten);
    event_users::remove(tx, scope_id, unfiled);
    return !unfiled.empty();
}

} // namespace

bool erase_own(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id, core::UserId const& pseudonym)
{
    static constexpr auto sql = pg::sql<select_fitting>(R"(
        WITH found AS (
            SELECT *
            FROM events x
            WHERE x.scope_id = $2 AND x.user_id = $3
            LIMIT $4::bigint
        )
        {select_fitting})");
    auto const rows = tx.run(sql, {event_archive::page_bytes, scope_id, user_id, max_events});
    return erase(tx, scope_id, user_id, pseudonym, rows);
}

bool erase_mentions(
    pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id, core::UserId const& pseudonym)
{
    static constexpr auto sql = pg::sql<event_pages::keyed_event, select_fitting>(R"(
        WITH found AS (
            SELECT m.archive_id, m.received_at, e.provider, e.user_id, e.payload
            FROM (
                SELECT *
                FROM event_users u
                WHERE u.scope_id = $2 AND u.user_id = $3
                LIMIT $4::bigint
            ) AS m
            LEFT JOIN {keyed_event} AS e ON true
        )
        {select_fitting})");
    auto const rows = tx.run(sql, {event_archive::page_bytes, scope_id, user_id, max_events});
    return erase(tx, scope_id, user_id, pseudonym, rows);
}

bool erase_of_subscriptions(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id,
    core::UserId const& pseudonym, std::span<std::string const> subscription_ids)
{
    static constexpr auto sql = pg::sql<select_fitting>(R"(
        WITH found AS (
            SELECT o.*
            FROM unnest($3::text[]) AS s(subject)
            CROSS JOIN LATERAL (
                SELECT *
                FROM events x
                WHERE x.scope_id = $2 AND x.subject = s.subject AND x.user_id IS NULL
                    AND x.provider <> 'internal'
                LIMIT $4::bigint
            ) AS o
            LIMIT $4::bigint
        )
        {select_fitting})");
    auto const id = [](std::string const& subscription_id) { return std::string_view(subscription_id); };
    auto const rows =
        tx.run(sql, {event_archive::page_bytes, scope_id, pg::column(subscription_ids, id), max_events});
    return erase(tx, scope_id, user_id, pseudonym, rows, user_id);
}

} // namespace billing::event_erasure
