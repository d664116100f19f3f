#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace feedback {

/// GET /v1/attachments/{attachmentId}: whoever may read the thread may read what is attached to it.
asio::awaitable<http::Response> get_attachment(http::Request const& req, Deps& deps);

} // namespace feedback
