#pragma once

#include "core/id.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace blobs {

// The functions `erase_*` delete rows of attachments. For each deleted row they enqueue a job of
// `expire_queue`, which deletes the blobs after the commit. The caller of a function with `parents` must hold
// locks that prevent other transactions from attaching files to these parents. The caller must also remove
// the erased ids from the lists of attachment ids that the parents store.

/// Erases at most `limit` attachments of the parents. Returns the ids of the erased attachments. If these are
/// fewer than `limit`, no attachment of the parents is left.
std::vector<core::Uuid> erase_attachments_of(
    pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> parents, std::size_t limit);

/// Erases the attachments with these ids. If `parents` is set, skips attachments of all other parents.
/// Returns the ids of the erased attachments.
std::vector<core::Uuid> erase_attachments(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids,
    std::optional<std::span<core::Uuid const>> parents);

/// Locks attachments until the transaction ends, so that no other transaction attaches them. For services
/// whose attachments may be attached several times (AttachmentsOptions::reusable): the caller looks for other
/// uses before it erases them.
void lock_attachments(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids);

/// Erases a user from at most `limit` attachments that the user presigned. Erases unattached attachments.
/// Attached ones are part of their parent, so they stay and lose their owner. Returns the number of erased
/// and changed attachments. If it is less than `limit`, no attachment of the user is left.
std::size_t erase_owner(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& owner, std::size_t limit);

} // namespace blobs
