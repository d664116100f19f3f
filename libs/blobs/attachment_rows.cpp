#include "blobs/attachment_rows.hpp"

#include "pg/row.hpp"
#include "pg/uuids.hpp"

namespace blobs {

namespace {

Attachment read(pg::RowReader& r)
{
    Attachment a;
    a.scope_id = r.scope_id();
    a.id = r.uuid();
    a.owner = r.optional_user_id();
    a.filename = r.text();
    a.content_type = r.text();
    a.size_bytes = r.integer();
    a.state = r.one_of<State>();
    a.version = r.optional_text().value_or("");
    a.parent_id = r.optional_uuid();
    a.internal = r.boolean();
    a.created_at = r.time();
    a.uploaded_at = r.optional_time();
    return a;
}

} // namespace

namespace attachment_rows {

Unattached insert_within(pg::Tx& tx, Attachment const& attachment, UnattachedLimits const& limits)
{
    pg::lock_scope(tx, attachment.scope_id);
    auto const result = tx.run(R"(
        WITH waiting AS (
            SELECT coalesce(sum(greatest(size_bytes, 65536)), 0) + greatest($6::bigint, 65536) AS of_scope,
                   coalesce(sum(greatest(size_bytes, 65536)) FILTER (WHERE owner = $3), 0)
                       + greatest($6::bigint, 65536) AS of_owner
            FROM attachments
            WHERE scope_id = $1 AND state <> 'attached'
              AND (state = 'uploaded' OR created_at > $8::timestamptz)),
        verdict AS (
            SELECT of_scope <= $9::bigint AS scope_fits,
                   $3::text IS NULL OR of_owner <= $10::bigint AS owner_fits
            FROM waiting),
        made AS (
            INSERT INTO attachments
                (scope_id, attachment_id, owner, filename, content_type, size_bytes, created_at)
            SELECT $1, $2, $3, $4, $5, $6, $7 FROM verdict WHERE scope_fits AND owner_fits)
        SELECT scope_fits, owner_fits FROM verdict)",
        {attachment.scope_id, attachment.id, attachment.owner, attachment.filename, attachment.content_type,
            attachment.size_bytes, attachment.created_at, limits.declared_since, limits.scope_bytes,
            limits.owner_bytes});
    pg::RowReader r(result[0]);
    bool const scope_fits = r.boolean(), owner_fits = r.boolean();
    if (!owner_fits) return Unattached::owner_is_full;
    return scope_fits ? Unattached::fits : Unattached::scope_is_full;
}

std::optional<Attachment> find(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id)
{
    auto const result = tx.run(R"(
        SELECT scope_id, attachment_id, owner, filename, content_type, size_bytes, state, version,
               parent_id, internal, created_at, uploaded_at
        FROM attachments WHERE scope_id = $1 AND attachment_id = $2)",
        {scope_id, id});
    return pg::read_first(result, read);
}

std::vector<Attachment> presigned(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids)
{
    auto const result = tx.run(R"(
        SELECT scope_id, attachment_id, owner, filename, content_type, size_bytes, state, version,
               parent_id, internal, created_at, uploaded_at
        FROM attachments WHERE scope_id = $1 AND attachment_id = ANY ($2::uuid[]) AND state = 'presigned')",
        {scope_id, pg::uuids(ids)});
    return pg::read_rows(result, read);
}

bool mark_uploaded(pg::Tx& tx, Key const& key, core::Time now)
{
    auto const result = tx.run(R"(
        UPDATE attachments SET state = 'uploaded', version = $3, uploaded_at = $4
        WHERE scope_id = $1 AND attachment_id = $2 AND state = 'presigned')",
        {key.scope_id, key.attachment_id, key.version, now});
    return result.affected_rows() == 1;
}

std::vector<Attachment> attach(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids,
    std::optional<core::UserId> const& owner, bool again, Parent const& parent, core::Time now)
{
    // Rows are locked in the order of their ids, so that overlapping calls wait for each other and do not
    // deadlock. A call that waited sees the changes of the call before it.
    auto const result = tx.run(R"(
        WITH picked AS (
            SELECT attachment_id FROM attachments
            WHERE scope_id = $1 AND attachment_id = ANY ($2::uuid[])
              AND (state = 'uploaded' OR (state = 'attached' AND $4::boolean))
              AND ($3::text IS NULL OR owner = $3)
            ORDER BY attachment_id FOR UPDATE)
        UPDATE attachments a
        SET state = 'attached', attached_at = coalesce(a.attached_at, $8),
            parent_type = coalesce(a.parent_type, $5), parent_id = coalesce(a.parent_id, $6),
            internal = CASE WHEN a.state = 'attached' THEN a.internal ELSE $7 END
        FROM picked
        WHERE a.scope_id = $1 AND a.attachment_id = picked.attachment_id
        RETURNING a.scope_id, a.attachment_id, a.owner, a.filename, a.content_type, a.size_bytes, a.state,
                  a.version, a.parent_id, a.internal, a.created_at, a.uploaded_at)",
        {scope_id, pg::uuids(ids), owner, again, parent.type, parent.id, parent.internal, now});
    return pg::read_rows(result, read);
}

void remove_unattached(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id)
{
    tx.run("DELETE FROM attachments WHERE scope_id = $1 AND attachment_id = $2 AND state <> 'attached'",
        {scope_id, id});
}

bool remove_presigned(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id)
{
    auto const result =
        tx.run("DELETE FROM attachments WHERE scope_id = $1 AND attachment_id = $2 AND state = 'presigned'",
            {scope_id, id});
    return result.affected_rows() == 1;
}

std::vector<Attachment> list_of_owner(
    pg::Tx& tx, core::ScopeId scope_id, core::UserId const& owner, core::Uuid const& after, std::size_t limit)
{
    auto const result = tx.run(R"(
        SELECT scope_id, attachment_id, owner, filename, content_type, size_bytes, state, version,
               parent_id, internal, created_at, uploaded_at
        FROM attachments
        WHERE scope_id = $1 AND owner = $2 AND attachment_id > $3
        ORDER BY attachment_id
        LIMIT $4::bigint)",
        {scope_id, owner, after, limit});
    return pg::read_rows(result, read);
}

std::vector<core::Uuid> remove_of_parents(
    pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> parents, std::size_t limit)
{
    auto const result = tx.run(R"(
        DELETE FROM attachments
        WHERE scope_id = $1 AND attachment_id = ANY (ARRAY(
            SELECT attachment_id FROM attachments
            WHERE scope_id = $1 AND parent_id = ANY ($2::uuid[])
            LIMIT $3::bigint))
        RETURNING attachment_id)",
        {scope_id, pg::uuids(parents), limit});
    return pg::read_rows(result, &pg::RowReader::uuid);
}

void lock(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids)
{
    // In the order in which `attach` locks them.
    tx.run(R"(
        SELECT 1
        FROM attachments
        WHERE scope_id = $1 AND attachment_id = ANY ($2::uuid[])
        ORDER BY attachment_id
        FOR UPDATE)",
        {scope_id, pg::uuids(ids)});
}

std::vector<core::Uuid> remove_unattached_of_owner(
    pg::Tx& tx, core::ScopeId scope_id, core::UserId const& owner, std::size_t limit)
{
    auto const result = tx.run(R"(
        WITH picked AS MATERIALIZED (
            SELECT attachment_id FROM attachments
            WHERE scope_id = $1 AND owner = $2 AND state <> 'attached'
            ORDER BY attachment_id
            LIMIT $3::bigint
            FOR UPDATE)
        DELETE FROM attachments a
        USING picked
        WHERE a.scope_id = $1 AND a.attachment_id = picked.attachment_id
        RETURNING a.attachment_id)",
        {scope_id, owner, limit});
    return pg::read_rows(result, &pg::RowReader::uuid);
}

std::size_t forget_owner(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& owner, std::size_t limit)
{
    auto const result = tx.run(R"(
        WITH picked AS MATERIALIZED (
            SELECT attachment_id FROM attachments
            WHERE scope_id = $1 AND owner = $2
            ORDER BY attachment_id
            LIMIT $3::bigint
            FOR UPDATE)
        UPDATE attachments a SET owner = NULL
        FROM picked
        WHERE a.scope_id = $1 AND a.attachment_id = picked.attachment_id)",
        {scope_id, owner, limit});
    return result.affected_rows();
}

std::vector<core::Uuid> remove(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids,
    std::optional<std::span<core::Uuid const>> parents)
{
    auto const result = tx.run(R"(
        DELETE FROM attachments
        WHERE scope_id = $1 AND attachment_id = ANY ($2::uuid[])
          AND ($3::uuid[] IS NULL OR parent_id IS NULL OR parent_id = ANY ($3::uuid[]))
        RETURNING attachment_id)",
        {scope_id, pg::uuids(ids), parents ? pg::uuids(*parents) : pg::Param(nullptr)});
    return pg::read_rows(result, &pg::RowReader::uuid);
}

} // namespace attachment_rows

} // namespace blobs
