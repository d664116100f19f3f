#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace notify {

/// POST /v1/notifications/send. Renders the notification. Responds with 202 after the notification, and the
/// job that sends it, are committed. Throws VALIDATION_ERROR, TEMPLATE_NOT_FOUND, PUSH_CHANNEL_DISABLED or
/// RATE_LIMITED. The rate limit is checked last, so that an invalid request does not count.
asio::awaitable<http::Response> send_notification(http::Request const& req, Deps& deps);

} // namespace notify
