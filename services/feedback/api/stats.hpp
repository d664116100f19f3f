#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace feedback {

/// GET /v1/feedbacks/stats
asio::awaitable<http::Response> get_stats(http::Request const& req, Deps& deps);

} // namespace feedback
