#pragma once

#include "deps.hpp"
#include "http/message.hpp"

/// Delivery receipts from devices, forwarded by the tenant's backend. A receipt for a notification that is
/// still queued is accepted, too: the notification becomes delivered or opened, and is not sent any more.
namespace notify {

/// POST /v1/notifications/ack
asio::awaitable<http::Response> ack_notifications(http::Request const& req, Deps& deps);
/// POST /v1/notifications/{notificationId}/opened
asio::awaitable<http::Response> open_notification(http::Request const& req, Deps& deps);

} // namespace notify
