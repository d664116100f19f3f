#pragma once

#include "blobs/store.hpp"
#include "core/id.hpp"
#include "pg/database.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The table `notification_attachments`: what goes with an email.
namespace notify::email_attachments {

/// One of them: its bytes, or where the upload is that has them.
struct Row {
    std::string filename;
    std::string content_type;
    std::int64_t size_bytes = 0;
    std::optional<std::string> content; ///< decoded; unset: it was uploaded
    std::optional<blobs::Key> upload;   ///< set when `content` is not
};

/// Writes the attachments of one notification in their order, in the transaction that inserts it.
void insert(pg::Tx& tx, std::int64_t scope_id, core::Uuid notification_id, std::span<Row const> rows);

/// In their order.
std::vector<Row> list(pg::Tx& tx, std::int64_t scope_id, core::Uuid notification_id);

} // namespace notify::email_attachments
