#pragma once

#include "blobs/store.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "pg/tx.hpp"
#include "storage/notifications.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

/// The table `notification_attachments`: the files of an email.
namespace notify::notification_attachments {

/// One attachment: the bytes of a file, or the blob of an upload.
struct Row {
    std::string filename;
    std::string content_type;
    std::int64_t size_bytes = 0;
    std::optional<std::string> content; ///< decoded; unset for an upload
    std::optional<blobs::Key> upload;   ///< the upload's blob; set if `content` is unset
};

/// Inserts the attachments of a notification, in the transaction that inserts the notification.
void insert(pg::Tx& tx, core::ScopeId scope_id, core::Uuid notification_id, std::span<Row const> rows);

/// The notifications that have attachments, among `keys`. The transaction must see the scopes.
std::set<notifications::Key> having(pg::Tx& tx, std::span<notifications::Key const> keys);

/// The attachments, in the order of their insertion.
std::vector<Row> list(pg::Tx& tx, core::ScopeId scope_id, core::Uuid notification_id);

/// Erases the uploads among `ids` that no notification uses any more. Locks all of them until the transaction
/// ends, so that no other transaction attaches them.
void erase_unused_uploads(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids);

} // namespace notify::notification_attachments
