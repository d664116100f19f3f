#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace feedback {

/// GET /v1/attachments/{attachmentId}: callers who may read the thread may read its attachments. Users may
/// not read the attachments of internal notes.
asio::awaitable<http::Response> get_attachment(http::Request const& req, Deps& deps);

} // namespace feedback
