#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace feedback {

/// GET /v1/feedbacks/{feedbackId}/history
asio::awaitable<http::Response> list_history(http::Request const& req, Deps& deps);

} // namespace feedback
