#pragma once

#include "deps.hpp"
#include "http/message.hpp"

/// What the devices that got a notification say of it, handed on by the tenant's backend. Either counts for a
/// notification that is still queued, too, and then what was to be sent is dropped.
namespace notify {

/// POST /v1/notifications/ack
asio::awaitable<http::Response> ack_notifications(http::Request const& req, Deps& deps);
/// POST /v1/notifications/{notificationId}/opened
asio::awaitable<http::Response> open_notification(http::Request const& req, Deps& deps);

} // namespace notify
