#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace notify {

/// POST /v1/notifications/broadcast: 202 once the broadcast, rendered, and the job that fans it out are
/// committed; `duplicate` with the id of the one that has its dedupe key, before anything else is looked at.
/// Else what can be found wrong with it is found before it counts: VALIDATION_ERROR, TEMPLATE_NOT_FOUND,
/// TEMPLATE_NOT_PUSH, PUSH_CHANNEL_DISABLED; then RATE_LIMITED.
asio::awaitable<http::Response> start_broadcast(http::Request const& req, Deps& deps);
/// GET /v1/notifications/broadcasts/{broadcastId}
asio::awaitable<http::Response> get_broadcast(http::Request const& req, Deps& deps);
/// GET /v1/notifications/broadcasts
asio::awaitable<http::Response> list_broadcasts(http::Request const& req, Deps& deps);
/// POST /v1/notifications/broadcasts/{broadcastId}/cancel: chunks that are not being sent to just now are not
/// sent to any more; 409 when it is complete, or was cancelled before.
asio::awaitable<http::Response> cancel_broadcast(http::Request const& req, Deps& deps);

} // namespace notify
