#pragma once

#include "blobs/attachment.hpp"
#include "pg/database.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The table `attachments`. Every transaction sees the scope.
namespace blobs::rows {

/// How many bytes of a scope may wait to be attached. An attachment that is `presigned` counts its declared
/// bytes while its upload URL lives, one that is `uploaded` until it is attached or removed; each counts 64
/// KiB at least.
struct UnattachedLimits {
    std::int64_t scope_bytes = 0;
    std::int64_t owner_bytes = 0; ///< of one owner, inside `scope_bytes`; not asked of attachments without
    core::Time declared_since;    ///< those `presigned` at this time or before it count no more
};

/// Which limit an attachment does not fit into.
enum class Unattached : std::uint8_t { fits, owner_is_full, scope_is_full };

/// A new row, in state `presigned`, unless a limit forbids it; of `attachment` counts what is known then.
/// Takes the scope's lock, so that parallel calls count each other.
Unattached insert_within(pg::Tx& tx, Attachment const& attachment, UnattachedLimits const& limits);

std::optional<Attachment> find(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id);

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

/// Deletes the row if it is `presigned`; false when it is not (or no longer).
bool remove_presigned(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id);

} // namespace blobs::rows
