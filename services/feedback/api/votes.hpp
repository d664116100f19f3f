#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace feedback {

/// PUT /v1/feedbacks/{feedbackId}/vote
asio::awaitable<http::Response> vote(http::Request const& req, Deps& deps);
/// DELETE /v1/feedbacks/{feedbackId}/vote
asio::awaitable<http::Response> withdraw_vote(http::Request const& req, Deps& deps);
/// PUT /v1/feedbacks/{feedbackId}/votes/{userId}
asio::awaitable<http::Response> vote_for_user(http::Request const& req, Deps& deps);
/// DELETE /v1/feedbacks/{feedbackId}/votes/{userId}
asio::awaitable<http::Response> withdraw_vote_of_user(http::Request const& req, Deps& deps);
/// GET /v1/feedbacks/{feedbackId}/votes
asio::awaitable<http::Response> list_votes(http::Request const& req, Deps& deps);

} // namespace feedback
