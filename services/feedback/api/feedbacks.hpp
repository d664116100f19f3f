#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace feedback {

/// POST /v1/feedbacks
asio::awaitable<http::Response> create_feedback(http::Request const& req, Deps& deps);
/// GET /v1/feedbacks
asio::awaitable<http::Response> list_feedbacks(http::Request const& req, Deps& deps);
/// GET /v1/feedbacks/{feedbackId}
asio::awaitable<http::Response> get_feedback(http::Request const& req, Deps& deps);
/// PATCH /v1/feedbacks/{feedbackId}
asio::awaitable<http::Response> update_feedback(http::Request const& req, Deps& deps);
/// DELETE /v1/feedbacks/{feedbackId}
asio::awaitable<http::Response> delete_feedback(http::Request const& req, Deps& deps);

} // namespace feedback
