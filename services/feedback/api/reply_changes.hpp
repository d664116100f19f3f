#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace feedback {

/// PATCH /v1/feedbacks/{feedbackId}/replies/{replyId}: by the author only.
asio::awaitable<http::Response> update_reply(http::Request const& req, Deps& deps);
/// DELETE /v1/feedbacks/{feedbackId}/replies/{replyId}: by the author and by staff.
asio::awaitable<http::Response> delete_reply(http::Request const& req, Deps& deps);
/// GET /v1/feedbacks/{feedbackId}/replies/{replyId}/history: the previous bodies.
asio::awaitable<http::Response> list_reply_history(http::Request const& req, Deps& deps);

} // namespace feedback
