#pragma once

#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/event_archive.hpp"

/// Reading rows of `events`, for the statements of storage/.
namespace billing::event_archive {

/// The columns of row `v` before its payload, with a comma at the end.
inline constexpr auto fields = pg::sql(R"(
    v.archive_id, v.received_at, v.provider, v.event_id, v.type, v.result, v.reason, v.user_id, v.event_at,
    v.erased_at,)");

/// The columns of row `v`, in the order of `read`.
inline constexpr auto columns = pg::sql<fields>(R"(
    {fields} v.payload)");

inline ArchivedEvent read(pg::RowReader& r)
{
    ArchivedEvent a;
    a.archive_id = r.uuid();
    a.received_at = r.time();
    a.provider = r.one_of<Provider>();
    a.event_id = r.text();
    a.type = r.text();
    a.result = r.one_of<EventResult>();
    a.reason = r.optional_text().value_or("");
    a.user_id = r.optional_user_id();
    a.event_at = r.optional_time();
    a.erased_at = r.optional_time();
    a.payload = r.text();
    return a;
}

} // namespace billing::event_archive
