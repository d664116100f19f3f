#pragma once

#include "blobs/attachment.hpp"
#include "pg/database.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The SQL of the table `attachments`. Every transaction must see the scope.
namespace blobs::rows {

/// The limits of a scope's unattached bytes. A `presigned` attachment counts its declared bytes during the
/// lifetime of its upload URL; an `uploaded` attachment counts until it is attached or removed. Each counts
/// at least 64 KiB.
struct UnattachedLimits {
    std::int64_t scope_bytes = 0;
    /// The limit per owner, in addition to `scope_bytes`. It does not apply to attachments without an owner.
    std::int64_t owner_bytes = 0;
    core::Time declared_since; ///< `presigned` attachments created at this time or earlier do not count
};

/// The result of `insert_within`: whether the attachment fits, or which limit it would exceed.
enum class Unattached : std::uint8_t { fits, owner_is_full, scope_is_full };

/// Inserts a row in state `presigned`, unless the attachment would exceed a limit. Stores only the fields of
/// `attachment` that are known at presign. Takes the scope's lock, so that of parallel calls each sees the
/// rows of the calls before it.
Unattached insert_within(pg::Tx& tx, Attachment const& attachment, UnattachedLimits const& limits);

std::optional<Attachment> find(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id);

/// The attachments among `ids` that are in state `presigned`.
std::vector<Attachment> presigned(pg::Tx& tx, std::int64_t scope_id, std::span<core::Uuid const> ids);

/// Changes the state of the attachment from `presigned` to `uploaded`, with `key` as its blob. Returns false
/// and changes nothing if the attachment is not in state `presigned`.
bool mark_uploaded(pg::Tx& tx, Key const& key, core::Time now);

/// Attaches the attachments among `ids` that may be attached, and returns them in any order. With `owner`,
/// only attachments that this user presigned. With `again`, also attachments that already have a parent; they
/// keep it.
std::vector<Attachment> attach(pg::Tx& tx, std::int64_t scope_id, std::span<core::Uuid const> ids,
    std::optional<std::string> const& owner, bool again, Parent const& parent, core::Time now);

/// Deletes the row unless it is attached.
void remove_unattached(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id);

/// Deletes the row if its state is `presigned`. Returns whether it was deleted.
bool remove_presigned(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id);

} // namespace blobs::rows
