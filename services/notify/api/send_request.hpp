#pragma once

#include "blobs/attachments.hpp"
#include "core/clock.hpp"
#include "domain/send_request.hpp"
#include "http/message.hpp"
#include "storage/notification_attachments.hpp"

#include <vector>

namespace notify {

namespace asio = boost::asio;

/// Parses the body of a send request. Throws VALIDATION_ERROR with all errors that can be found without the
/// database. May run on any thread.
SendRequest parse_send(http::Request const& req, core::Time now);

/// The attachments as stored with the notification. A file is stored with its content, and an upload as a
/// reference. Throws VALIDATION_ERROR if an upload cannot be attached, or if the total size is too large.
asio::awaitable<std::vector<notification_attachments::Row>> find_files(
    http::Request const& req, blobs::Attachments& uploads, std::vector<RequestedAttachment> requested);

/// Claims the uploads among `files` for the notification, so that they do not expire. Call this function in
/// the transaction that inserts the notification. Throws VALIDATION_ERROR if an upload was removed since
/// `find_files`.
void claim_uploads(pg::Tx& tx, http::Request const& req, blobs::Attachments& uploads,
    std::span<notification_attachments::Row const> files, core::Uuid notification_id);

} // namespace notify
