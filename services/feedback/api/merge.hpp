#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace feedback {

/// POST /v1/feedbacks/{feedbackId}/merge
asio::awaitable<http::Response> merge_feedback(http::Request const& req, Deps& deps);

} // namespace feedback
