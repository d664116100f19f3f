#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace feedback {

/// GET /v1/feedbacks/export: newline-delimited JSON or CSV, streamed in constant memory.
asio::awaitable<http::Response> export_feedbacks(http::Request const& req, Deps& deps);

} // namespace feedback
