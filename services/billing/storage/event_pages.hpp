#pragma once

#include "domain/event.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/event_users.hpp"

#include <optional>
#include <string>

/// Pieces of statements that read events of the archive by their keys, or many events with payloads of
/// limited size.
namespace billing::event_pages {

struct Event {
    event_users::EventKey key;
    std::optional<Provider> provider; ///< nullopt: the archive has dropped the event
    std::optional<core::UserId> user_id;
    std::string payload;
};

/// The event with the key of row `m`, as an item of FROM. The LIMIT makes the planner look up each key,
/// instead of a join over all partitions.
inline constexpr auto keyed_event = pg::sql(R"(LATERAL (
            SELECT *
            FROM events x
            WHERE x.scope_id = m.scope_id AND x.received_at = m.received_at AND x.archive_id = m.archive_id
            LIMIT 1
        ))");

/// Ends a statement that defines `found`, a CTE of rows with the columns of `events`: selects the first of
/// them, until their payloads reach $1 bytes, in the order of the archive.
inline constexpr auto select_fitting = pg::sql(R"(
    SELECT v.archive_id, v.received_at, v.provider, v.user_id, v.payload
    FROM (
        SELECT f.*, sum(octet_length(f.payload)) OVER (
            ORDER BY f.received_at, f.archive_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS before
        FROM found AS f
    ) AS v
    WHERE coalesce(v.before, 0) < $1::bigint
    ORDER BY v.received_at, v.archive_id)");

/// Reads a row of `select_fitting`.
inline Event read(pg::RowReader& r)
{
    Event event;
    event.key.archive_id = r.uuid();
    event.key.received_at = r.time();
    if (r.is_null())
        r.skip();
    else
        event.provider = r.one_of<Provider>();
    event.user_id = r.optional_user_id();
    event.payload = r.optional_text().value_or("");
    return event;
}

} // namespace billing::event_pages
