#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace notify {

/// POST /webhooks/sms/twilio?scope=…&notification=…: Twilio tells what became of a text message
/// (https://www.twilio.com/docs/messaging/guides/track-outbound-message-status), at the address that it was
/// given with the message, which its signature covers. 204, whether that was news or not; 401 unless the
/// signature is right. Statuses come late and in any order, and only ever move the notification forward.
asio::awaitable<http::Response> receive_sms_status(http::Request const& req, Deps& deps);

} // namespace notify
