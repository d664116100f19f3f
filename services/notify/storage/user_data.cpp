#include "storage/user_data.hpp"

#include "blobs/erasure.hpp"
#include "jobs/queue.hpp"
#include "pg/parts.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "pg/uuids.hpp"
#include "storage/notification_rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <span>

namespace notify::user_rows {

namespace {

/// In bytes: the texts of a page of notifications.
constexpr std::size_t page_bytes = 1 << 20;

/// Devices per announcement, because PostgreSQL limits its payload to 8,000 bytes.
constexpr std::size_t announced_together = 300;

/// A notification and its parts have about this number of rows.
constexpr std::size_t rows_of_notification = 5;

using Ids = std::vector<core::Uuid>;

/// The parts besides the files, which `delete_files` deletes together with uploads.
constexpr std::array parts_of_notification{pg::Parts{"push_deliveries", "notification_id", "device_id"},
    pg::Parts{"notification_events", "notification_id", "place"}};

void announce(pg::Tx& tx, std::span<std::int64_t const> device_ids)
{
    while (!device_ids.empty()) {
        auto const together = device_ids.first(std::min(device_ids.size(), announced_together));
        std::string payload;
        for (auto const id : together)
            payload += (payload.empty() ? "" : ",") + std::to_string(id);
        tx.run("SELECT pg_notify($1, $2)", {erased_devices_channel, payload});
        device_ids = device_ids.subspan(together.size());
    }
}

/// Deletes the jobs of notifications that no worker has begun, and the records of jobs that were given up.
/// The jobs are locked in the order in which receipts lock them.
void delete_jobs(pg::Tx& tx, core::ScopeId scope_id, Ids const& ids)
{
    std::vector<std::string> const queues(notification_queues.begin(), notification_queues.end());
    tx.run(R"(
        WITH waiting AS MATERIALIZED (
            SELECT queue, ref
            FROM jobs
            WHERE scope_id = $1 AND queue = ANY ($2::text[]) AND ref = ANY ($3::uuid[]) AND lease_owner IS NULL
            ORDER BY ref
            FOR UPDATE
        ),
        dead AS (
            DELETE FROM dead_jobs
            WHERE scope_id = $1 AND queue = ANY ($2::text[]) AND ref = ANY ($3::uuid[])
        )
        DELETE FROM jobs j
        USING waiting w
        WHERE j.scope_id = $1 AND j.queue = w.queue AND j.ref = w.ref)",
        {scope_id, queues, pg::uuids(ids)});
}

/// Locks the notifications in the order in which receipts lock them.
void lock_notifications(pg::Tx& tx, core::ScopeId scope_id, Ids const& ids)
{
    tx.run(R"(
        SELECT 1
        FROM notifications
        WHERE scope_id = $1 AND notification_id = ANY ($2::uuid[])
        ORDER BY notification_id
        FOR UPDATE)",
        {scope_id, pg::uuids(ids)});
}

/// Deletes at most `limit` files of the notifications. Returns the number of deleted rows.
std::size_t delete_files(pg::Tx& tx, core::ScopeId scope_id, Ids const& ids, std::size_t limit)
{
    auto const deleted = tx.run(R"(
        DELETE FROM notification_attachments a
        USING (
            SELECT notification_id, place
            FROM notification_attachments
            WHERE scope_id = $1 AND notification_id = ANY ($2::uuid[])
            LIMIT $3::bigint
        ) AS gone
        WHERE a.scope_id = $1 AND a.notification_id = gone.notification_id AND a.place = gone.place
        RETURNING a.attachment_id)",
        {scope_id, pg::uuids(ids), limit});
    Ids uploads;
    for (auto const& id : pg::read_rows(deleted, &pg::RowReader::optional_uuid))
        if (id) uploads.push_back(*id);
    notification_attachments::erase_unused_uploads(tx, scope_id, uploads);
    return deleted.size();
}

ExportedNotification read_exported(pg::RowReader& r)
{
    ExportedNotification row{.notification = notifications::read(r)};
    row.notification.content.subject = r.text();
    row.notification.content.body = r.text();
    row.notification.content.html = r.boolean();
    row.data_json = r.optional_text();
    row.push_json = r.optional_text();
    return row;
}

using ById = std::map<core::Uuid, ExportedNotification*>;

Ids ids_of(ById const& by_id)
{
    Ids ids;
    for (auto const& [id, row] : by_id)
        ids.push_back(id);
    return ids;
}

void add_deliveries(pg::Tx& tx, core::ScopeId scope_id, ById const& by_id)
{
    auto const result = tx.run(pg::sql<notifications::delivery_columns>(R"(
        SELECT d.notification_id, {delivery_columns}
        FROM push_deliveries d
        WHERE d.scope_id = $1 AND d.notification_id = ANY ($2::uuid[])
        ORDER BY d.device_id)"),
        {scope_id, pg::uuids(ids_of(by_id))});
    for (auto const& found : result) {
        pg::RowReader r(found);
        auto& row = *by_id.at(r.uuid());
        row.deliveries.push_back(notifications::read_delivery(r));
    }
}

void add_events(pg::Tx& tx, core::ScopeId scope_id, ById const& by_id)
{
    auto const result = tx.run(R"(
        SELECT notification_id, place, status, at, detail
        FROM notification_events
        WHERE scope_id = $1 AND notification_id = ANY ($2::uuid[])
        ORDER BY place)",
        {scope_id, pg::uuids(ids_of(by_id))});
    for (auto const& found : result) {
        pg::RowReader r(found);
        auto& event = by_id.at(r.uuid())->events.emplace_back();
        event.place = r.integer();
        event.status = r.one_of<Status>();
        event.at = r.time();
        event.detail = r.optional_text();
    }
}

void add_files(pg::Tx& tx, core::ScopeId scope_id, ById const& by_id)
{
    auto const result = tx.run(R"(
        SELECT notification_id, filename, content_type, size_bytes, attachment_id, version
        FROM notification_attachments
        WHERE scope_id = $1 AND notification_id = ANY ($2::uuid[])
        ORDER BY place)",
        {scope_id, pg::uuids(ids_of(by_id))});
    for (auto const& found : result) {
        pg::RowReader r(found);
        auto& file = by_id.at(r.uuid())->files.emplace_back();
        file.filename = r.text();
        file.content_type = r.text();
        file.size_bytes = r.integer();
        if (auto const id = r.optional_uuid()) file.upload = blobs::Key{scope_id, *id, r.text()};
    }
}

} // namespace

std::size_t hide_tokens(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit)
{
    auto const hidden = tx.run(R"(
        WITH found AS MATERIALIZED (
            SELECT d.notification_id, d.device_id
            FROM devices x
            JOIN push_deliveries d ON d.scope_id = $1 AND d.device_id = x.device_id AND d.token = x.token
            JOIN notifications n ON n.scope_id = $1 AND n.notification_id = d.notification_id
            WHERE x.scope_id = $1 AND x.user_id = $2 AND n.recipient <> $2
            ORDER BY d.notification_id, d.device_id
            LIMIT $4::bigint
            FOR NO KEY UPDATE OF d
        )
        UPDATE push_deliveries d
        SET token = $3
        FROM found f
        WHERE d.scope_id = $1 AND d.notification_id = f.notification_id AND d.device_id = f.device_id)",
        {erasure.scope.id, erasure.user_id, erasure.pseudonym, limit});
    return hidden.affected_rows();
}

std::size_t erase_devices(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit)
{
    pg::lock_scope(tx, erasure.scope.id);
    auto const deleted = tx.run(R"(
        DELETE FROM devices
        WHERE scope_id = $1 AND device_id = ANY (ARRAY(
            SELECT device_id FROM devices WHERE scope_id = $1 AND user_id = $2 LIMIT $3::bigint))
        RETURNING device_id)",
        {erasure.scope.id, erasure.user_id, limit});
    auto const ids = pg::read_rows(deleted, &pg::RowReader::integer);
    announce(tx, ids);
    return ids.size();
}

std::size_t erase_notifications(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit)
{
    core::ScopeId const scope_id = erasure.scope.id;
    auto const together = std::max<std::size_t>(limit / rows_of_notification, 1);
    auto const found = tx.run(R"(
        SELECT notification_id
        FROM notifications
        WHERE scope_id = $1 AND recipient = $2
        ORDER BY created_at DESC, notification_id DESC
        LIMIT $3::bigint)",
        {scope_id, erasure.user_id, together});
    Ids const ids = pg::read_rows(found, &pg::RowReader::uuid);
    if (ids.empty()) return 0;
    delete_jobs(tx, scope_id, ids);
    lock_notifications(tx, scope_id, ids);
    std::size_t left = limit - ids.size(); // for the parts
    for (auto const& parts : parts_of_notification)
        left -= pg::delete_parts(tx, scope_id, parts, ids, left);
    left -= delete_files(tx, scope_id, ids, left);
    if (left == 0) return limit; // there may be more parts
    tx.run("DELETE FROM notifications WHERE scope_id = $1 AND notification_id = ANY ($2::uuid[])",
        {scope_id, pg::uuids(ids)});
    return ids.size() == together ? limit : ids.size();
}

std::size_t erase_uploads(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit)
{
    return blobs::erase_owner(tx, erasure.scope.id, erasure.user_id, limit);
}

std::vector<std::int64_t> parse_devices(std::string_view payload)
{
    std::vector<std::int64_t> ids;
    char const* const end = payload.data() + payload.size();
    for (char const* at = payload.data(); at != end;) {
        std::int64_t id = 0;
        auto const [next, error] = std::from_chars(at, end, id);
        if (error != std::errc()) break;
        ids.push_back(id);
        at = next == end ? end : next + 1; // after the comma
    }
    return ids;
}

std::vector<ExportedNotification> list_notifications(pg::Tx& tx, core::Scope const& scope,
    core::UserId const& user_id, std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const result = tx.run(pg::sql<notifications::columns>(R"(
        SELECT {columns}, n.subject, n.body, n.html, n.data, n.push
        FROM (
            SELECT *, sum(octet_length(body)) OVER (
                    ORDER BY created_at DESC, notification_id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ) AS bytes_before
            FROM (
                SELECT *
                FROM notifications
                WHERE scope_id = $1 AND recipient = $2
                    AND (created_at, notification_id) < ($3::timestamptz, $4::uuid)
                ORDER BY created_at DESC, notification_id DESC
                LIMIT $5::bigint
            ) AS page
        ) AS n
        WHERE coalesce(n.bytes_before, 0) < $6::bigint
        ORDER BY n.created_at DESC, n.notification_id DESC)"),
        {scope.id, user_id, paging::time_of(after), paging::id_of(after), limit, page_bytes});
    auto rows = pg::read_rows(result, read_exported);
    ById by_id;
    for (auto& row : rows)
        by_id.emplace(row.notification.id, &row);
    add_deliveries(tx, scope.id, by_id);
    add_events(tx, scope.id, by_id);
    add_files(tx, scope.id, by_id);
    return rows;
}

} // namespace notify::user_rows
