#include "storage/notification_attachments.hpp"

#include "blobs/erasure.hpp"
#include "pg/row.hpp"
#include "pg/uuids.hpp"
#include "storage/keys.hpp"

namespace notify::notification_attachments {

void insert(pg::Tx& tx, core::ScopeId scope_id, core::Uuid notification_id, std::span<Row const> rows)
{
    // Inserts row by row, because a batch would hold all contents in memory several times.
    for (std::size_t place = 0; place < rows.size(); ++place) {
        Row const& row = rows[place];
        tx.run(R"(
            INSERT INTO notification_attachments (
                scope_id, notification_id, place, filename, content_type, size_bytes, content,
                attachment_id, version
            )
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9))",
            {scope_id, notification_id, place, row.filename, row.content_type, row.size_bytes,
                row.content ? pg::Param::bytes(*row.content) : pg::Param(nullptr),
                row.upload ? pg::Param(row.upload->attachment_id) : pg::Param(nullptr),
                row.upload ? pg::Param(row.upload->version) : pg::Param(nullptr)});
    }
}

std::set<notifications::Key> having(pg::Tx& tx, std::span<notifications::Key const> keys)
{
    return read_keys<notifications::Key>(tx.run(R"(
        SELECT k.scope_id, k.notification_id
        FROM unnest($1::bigint[], $2::uuid[]) AS k(scope_id, notification_id)
        WHERE EXISTS (
            SELECT
            FROM notification_attachments a
            WHERE a.scope_id = k.scope_id AND a.notification_id = k.notification_id
        ))",
        {scope_column(keys), id_column(keys)}));
}

std::vector<Row> list(pg::Tx& tx, core::ScopeId scope_id, core::Uuid notification_id)
{
    auto const result = tx.run(R"(
        SELECT filename, content_type, size_bytes, content, attachment_id, version
        FROM notification_attachments
        WHERE scope_id = $1 AND notification_id = $2
        ORDER BY place)",
        {scope_id, notification_id});
    return pg::read_rows(result, [scope_id](pg::RowReader& r) {
        Row row;
        row.filename = r.text();
        row.content_type = r.text();
        row.size_bytes = r.integer();
        if (r.is_null())
            r.skip();
        else
            row.content = r.bytes();
        if (auto const id = r.optional_uuid()) row.upload = blobs::Key{scope_id, *id, r.text()};
        return row;
    });
}

void erase_unused_uploads(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids)
{
    if (ids.empty()) return;
    blobs::lock_attachments(tx, scope_id, ids); // so that no request attaches them after the next statement
    auto const unused = tx.run(R"(
        SELECT DISTINCT u.attachment_id
        FROM unnest($2::uuid[]) AS u(attachment_id)
        WHERE NOT EXISTS (
            SELECT
            FROM notification_attachments a
            WHERE a.scope_id = $1 AND a.attachment_id = u.attachment_id
        ))",
        {scope_id, pg::uuids(ids)});
    blobs::erase_attachments(tx, scope_id, pg::read_rows(unused, &pg::RowReader::uuid), std::nullopt);
}

} // namespace notify::notification_attachments
