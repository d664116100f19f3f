#include "storage/event_history.hpp"

#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/event_pages.hpp"
#include "storage/event_rows.hpp"

#include <string>

namespace billing::event_history {

namespace {

using event_archive::columns;

/// Ends a statement that defines `history`, a CTE of rows of `events`: selects the latest of these rows, up
/// to $1 bytes of payload. octet_length() does not read the payload.
constexpr auto select_latest = pg::sql<columns>(R"(
    SELECT {columns}
    FROM (
        SELECT h.*,
            sum(octet_length(h.payload)) OVER (ORDER BY h.event_at DESC, h.archive_id DESC) AS bytes
        FROM history AS h
    ) AS v
    WHERE v.bytes <= $1::bigint)");

/// The results of events that no history contains.
std::vector<std::string> unapplied()
{
    return {std::string(to_string(EventResult::rejected)), std::string(to_string(EventResult::deferred))};
}

/// The events in the rows, parsed by the current rules. Rows that no longer parse are left out.
std::vector<Event> events_of(pg::Rows const& result)
{
    std::vector<Event> events;
    for (auto const& archived : pg::read_rows(result, event_archive::read))
        if (auto parsed = event_archive::event_of(archived)) events.push_back(*std::move(parsed));
    return events;
}

} // namespace

std::vector<Event> of_user(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id, core::Time until)
{
    static constexpr auto sql = pg::sql<event_pages::keyed_event, select_latest>(R"(
        WITH mine AS MATERIALIZED (
            SELECT *
            FROM events o
            WHERE o.scope_id = $2 AND o.user_id = $3 AND o.result <> ALL ($5::text[]) AND o.event_at <= $4
                AND o.erased_at IS NULL
            UNION ALL
            SELECT v.*
            FROM event_users m
            CROSS JOIN {keyed_event} AS v
            WHERE m.scope_id = $2 AND m.user_id = $3 AND v.user_id IS DISTINCT FROM m.user_id AND v.result <> ALL ($5::text[]) AND v.event_at <= $4
                AND v.erased_at IS NULL
        ),
        subjects AS MATERIALIZED (SELECT DISTINCT m.subject FROM mine m WHERE m.subject IS NOT NULL),
        history AS (
            SELECT m.*
            FROM mine m
            WHERE m.subject IS NULL
            UNION ALL
            SELECT o.*
            FROM subjects s
            CROSS JOIN LATERAL (
                SELECT *
                FROM events x
                WHERE x.scope_id = $2 AND x.subject = s.subject AND x.result <> ALL ($5::text[])
                    AND x.event_at <= $4
                OFFSET 0
            ) AS o
        )
        {select_latest})");
    return events_of(tx.run(sql, {max_bytes, scope_id, user_id, until, unapplied()}));
}

std::vector<Event> of_subscription(pg::Tx& tx, core::ScopeId scope_id, std::string const& subscription_id)
{
    static constexpr auto sql = pg::sql<select_latest>(R"(
        WITH history AS (
            SELECT x.*
            FROM events x
            WHERE x.scope_id = $2 AND x.subject = $3 AND x.result <> ALL ($4::text[])
            OFFSET 0
        )
        {select_latest})");
    return events_of(tx.run(sql, {max_bytes, scope_id, subscription_id, unapplied()}));
}

std::optional<AccessSettings> settings_at(pg::Tx& tx, core::ScopeId scope_id, core::Time at)
{
    // The last change before that time, or the first change after it.
    auto const result = tx.run(pg::sql<columns, columns>(R"(
        (
            SELECT {columns}
            FROM events v
            WHERE v.scope_id = $1 AND v.subject = $2 AND v.provider = 'internal' AND v.event_at <= $3
            ORDER BY v.event_at DESC, v.archive_id DESC
            LIMIT 1
        )
        UNION ALL (
            SELECT {columns}
            FROM events v
            WHERE v.scope_id = $1 AND v.subject = $2 AND v.provider = 'internal' AND v.event_at > $3
            ORDER BY v.event_at, v.archive_id
            LIMIT 1
        ))"),
        {scope_id, settings_subject, at});
    auto const changes = events_of(result);
    if (changes.empty()) return std::nullopt;
    auto const* earliest = &changes.front();
    for (auto const& change : changes)
        if (change.at < earliest->at) earliest = &change;
    auto const& change = std::get<SettingsEvent>(earliest->data);
    return *earliest->at <= at ? change.settings : change.previous;
}

} // namespace billing::event_history
