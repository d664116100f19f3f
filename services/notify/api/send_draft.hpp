#pragma once

#include "blobs/attachments.hpp"
#include "core/clock.hpp"
#include "domain/send.hpp"
#include "http/message.hpp"
#include "storage/attachments.hpp"

#include <vector>

namespace notify {

namespace asio = boost::asio;

/// Reads the body of a send. Throws VALIDATION_ERROR naming everything that is wrong with it alone. Any
/// thread.
SendDraft parse_send(http::Request const& req, core::Time now);

/// The files as they are kept with the notification; of uploads that is where they are. Throws
/// VALIDATION_ERROR when one cannot be attached, or all together are too large.
asio::awaitable<std::vector<email_attachments::Row>> find_files(
    http::Request const& req, blobs::Attachments& uploads, std::vector<AttachmentDraft> drafts);

/// Takes the uploads among `files` for the notification, in the transaction that inserts it, so that they are
/// kept. Throws VALIDATION_ERROR when one went since `find_files`.
void claim_uploads(pg::Tx& tx, http::Request const& req, blobs::Attachments& uploads,
    std::span<email_attachments::Row const> files, core::Uuid notification_id);

} // namespace notify
