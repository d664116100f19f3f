#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace notify {

/// Throws the NOT_FOUND error for a notification that does not exist in the scope.
[[noreturn]] void notification_not_found();

/// GET /v1/notifications/{notificationId}
asio::awaitable<http::Response> get_notification(http::Request const& req, Deps& deps);
/// GET /v1/notifications
asio::awaitable<http::Response> list_notifications(http::Request const& req, Deps& deps);
/// GET /v1/notifications/{notificationId}/events
asio::awaitable<http::Response> list_events(http::Request const& req, Deps& deps);
/// POST /v1/notifications/{notificationId}/cancel. Throws CONFLICT unless the notification is queued and no
/// worker is sending it. A cancelled notification is not sent. If an earlier attempt reached the provider but
/// the provider's response was lost, the notification may still arrive.
asio::awaitable<http::Response> cancel_notification(http::Request const& req, Deps& deps);
/// POST /v1/notifications/{notificationId}/retry. Queues a failed notification again and responds with 202.
/// The request counts against `send_limit`. Throws CONFLICT unless the notification has failed.
asio::awaitable<http::Response> retry_notification(http::Request const& req, Deps& deps);

} // namespace notify
