#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace notify {

/// What a caller is told of a notification that is not there, or another scope's.
[[noreturn]] void notification_not_found();

/// GET /v1/notifications/{notificationId}
asio::awaitable<http::Response> get_notification(http::Request const& req, Deps& deps);
/// GET /v1/notifications
asio::awaitable<http::Response> list_notifications(http::Request const& req, Deps& deps);
/// GET /v1/notifications/{notificationId}/events
asio::awaitable<http::Response> list_events(http::Request const& req, Deps& deps);
/// POST /v1/notifications/{notificationId}/cancel: 409 unless it is queued and no worker is sending it. One
/// that was cancelled is not sent from then on; after an attempt whose answer was lost it may have arrived.
asio::awaitable<http::Response> cancel_notification(http::Request const& req, Deps& deps);
/// POST /v1/notifications/{notificationId}/retry: 202, and one that has failed is tried anew, which counts as
/// a send (`send_limit`); 409 for any other.
asio::awaitable<http::Response> retry_notification(http::Request const& req, Deps& deps);

} // namespace notify
