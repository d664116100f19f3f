#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace feedback {

/// GET /v1/feedbacks/similar
asio::awaitable<http::Response> list_similar(http::Request const& req, Deps& deps);

} // namespace feedback
