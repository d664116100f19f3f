#pragma once

#include "blobs/attachment.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "pg/tx.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The SQL of the table `attachments`. Every transaction must include the scope in its `pg::Scopes`.
namespace blobs::attachment_rows {

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
/// `attachment` that are known at presign. Takes the scope's lock, so that parallel calls run one after
/// another and cannot exceed a limit together.
Unattached insert_within(pg::Tx& tx, Attachment const& attachment, UnattachedLimits const& limits);

std::optional<Attachment> find(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id);

/// The attachments among `ids` that are in state `presigned`.
std::vector<Attachment> presigned(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids);

/// Changes the state of the attachment from `presigned` to `uploaded`, with `key` as its blob. Returns false
/// and changes nothing if the attachment is not in state `presigned`.
bool mark_uploaded(pg::Tx& tx, Key const& key, core::Time now);

/// Attaches the attachments among `ids` that may be attached, and returns them in any order. If `owner` is
/// set, attaches only attachments that this user presigned. If `again` is true, also returns attachments that
/// already have a parent; these keep their parent.
std::vector<Attachment> attach(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids,
    std::optional<core::UserId> const& owner, bool again, Parent const& parent, core::Time now);

/// Deletes the row unless it is attached.
void remove_unattached(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id);

/// Deletes the row if its state is `presigned`. Returns whether it was deleted.
bool remove_presigned(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id);

/// At most `limit` attachments that `owner` presigned, after the id `after`, in the order of their ids.
std::vector<Attachment> list_of_owner(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& owner,
    core::Uuid const& after, std::size_t limit);

/// Deletes at most `limit` rows of attachments that are attached to one of `parents`. Returns their ids.
std::vector<core::Uuid> remove_of_parents(
    pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> parents, std::size_t limit);

/// Locks the rows with these ids until the transaction ends, so that no other transaction attaches them.
void lock(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids);

/// Deletes at most `limit` rows of attachments that `owner` presigned and that are not attached. Returns
/// their ids.
std::vector<core::Uuid> remove_unattached_of_owner(
    pg::Tx& tx, core::ScopeId scope_id, core::UserId const& owner, std::size_t limit);

/// Removes the owner from at most `limit` rows of attachments that `owner` presigned. Returns their number.
std::size_t forget_owner(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& owner, std::size_t limit);

/// Deletes the rows with these ids. If `parents` is set, skips attachments of all other parents. Returns the
/// ids of the deleted rows.
std::vector<core::Uuid> remove(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids,
    std::optional<std::span<core::Uuid const>> parents);

} // namespace blobs::attachment_rows
