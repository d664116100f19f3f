#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace notify {

/// POST /v1/notifications/broadcast. Renders the broadcast. Responds with 202 after the broadcast, and the
/// job that splits it into chunks, are committed. If an earlier broadcast has the dedupe key, responds with
/// `duplicate` and the id of the earlier broadcast, without further checks. Throws VALIDATION_ERROR,
/// TEMPLATE_NOT_FOUND, TEMPLATE_NOT_PUSH, PUSH_CHANNEL_DISABLED or RATE_LIMITED. The rate limit is checked
/// last, so that an invalid request does not count.
asio::awaitable<http::Response> start_broadcast(http::Request const& req, Deps& deps);
/// GET /v1/notifications/broadcasts/{broadcastId}
asio::awaitable<http::Response> get_broadcast(http::Request const& req, Deps& deps);
/// GET /v1/notifications/broadcasts
asio::awaitable<http::Response> list_broadcasts(http::Request const& req, Deps& deps);
/// POST /v1/notifications/broadcasts/{broadcastId}/cancel. A chunk that a worker is sending now is still
/// sent; the other chunks are not. Throws CONFLICT if the broadcast is complete or already cancelled.
asio::awaitable<http::Response> cancel_broadcast(http::Request const& req, Deps& deps);

} // namespace notify
