#pragma once

#include "blobs/attachment.hpp"
#include "pg/database.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// The table `attachments`. Every transaction sees the scope.
namespace blobs::rows {

/// A new row, in state `presigned`; of `attachment` counts what is known then.
void insert(pg::Tx& tx, Attachment const& attachment);

std::optional<Attachment> find(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id);

/// What the scope's attachments that are not attached (yet) may take up: their declared bytes, and at least
/// 64 KiB for each.
std::int64_t unattached_bytes(pg::Tx& tx, std::int64_t scope_id);

/// Those of `ids` that are `presigned`.
std::vector<Attachment> presigned(pg::Tx& tx, std::int64_t scope_id, std::span<core::Uuid const> ids);

/// From `presigned` to `uploaded`; false when it is not (or no longer) presigned. Whoever gets true has the
/// blob that counts.
bool mark_uploaded(pg::Tx& tx, Key const& key, core::Time now);

/// Attaches those of `ids` that may be, and yields them in no particular order. `owner`: only what this user
/// presigned. `again`: attached ones too, which stay with their parent.
std::vector<Attachment> attach(pg::Tx& tx, std::int64_t scope_id, std::span<core::Uuid const> ids,
    std::optional<std::string> const& owner, bool again, Parent const& parent, core::Time now);

/// Deletes the row unless it is attached.
void remove_unattached(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id);

} // namespace blobs::rows
