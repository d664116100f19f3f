#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace feedback {

/// POST /v1/feedbacks/bulk: the same changes to up to 100 threads, in one transaction.
asio::awaitable<http::Response> update_feedbacks(http::Request const& req, Deps& deps);

} // namespace feedback
