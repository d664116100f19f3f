#include "blobs/erasure.hpp"

#include "blobs/attachment_rows.hpp"
#include "blobs/attachments.hpp"
#include "jobs/queue.hpp"

namespace blobs {

namespace {

/// Enqueues the jobs that delete the blobs of rows that were deleted. Each attachment got this job with its
/// upload URL, for a later time.
std::vector<core::Uuid> expire_now(pg::Tx& tx, core::ScopeId scope_id, std::vector<core::Uuid> ids)
{
    if (!ids.empty()) jobs::enqueue(tx, expire_queue, scope_id, ids);
    return ids;
}

} // namespace

std::vector<core::Uuid> erase_attachments_of(
    pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> parents, std::size_t limit)
{
    return expire_now(tx, scope_id, attachment_rows::remove_of_parents(tx, scope_id, parents, limit));
}

std::vector<core::Uuid> erase_attachments(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids,
    std::optional<std::span<core::Uuid const>> parents)
{
    return expire_now(tx, scope_id, attachment_rows::remove(tx, scope_id, ids, parents));
}

void lock_attachments(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids)
{
    attachment_rows::lock(tx, scope_id, ids);
}

std::size_t erase_owner(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& owner, std::size_t limit)
{
    auto const erased =
        expire_now(tx, scope_id, attachment_rows::remove_unattached_of_owner(tx, scope_id, owner, limit));
    return erased.size() + attachment_rows::forget_owner(tx, scope_id, owner, limit - erased.size());
}

} // namespace blobs
