#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace feedback {

/// POST /v1/feedbacks/{feedbackId}/replies
asio::awaitable<http::Response> post_reply(http::Request const& req, Deps& deps);
/// GET /v1/feedbacks/{feedbackId}/replies
asio::awaitable<http::Response> list_replies(http::Request const& req, Deps& deps);

} // namespace feedback
