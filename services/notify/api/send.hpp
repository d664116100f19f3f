#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace notify {

/// POST /v1/notifications/send: 202 once the notification, rendered, and the job that sends it are committed.
/// What can be found wrong with it is found before it counts: VALIDATION_ERROR, TEMPLATE_NOT_FOUND,
/// PUSH_CHANNEL_DISABLED; then RATE_LIMITED.
asio::awaitable<http::Response> send_notification(http::Request const& req, Deps& deps);

} // namespace notify
