#pragma once

#include "deps.hpp"
#include "domain/feedback.hpp"
#include "http/message.hpp"

#include <string>

namespace feedback {

/// POST /v1/feedbacks/{feedbackId}/replies
asio::awaitable<http::Response> post_reply(http::Request const& req, Deps& deps);
/// GET /v1/feedbacks/{feedbackId}/replies
asio::awaitable<http::Response> list_replies(http::Request const& req, Deps& deps);

/// The strong validator of a reply (RFC 9110). It changes with each edit.
std::string etag_of(Reply const& reply);

} // namespace feedback
