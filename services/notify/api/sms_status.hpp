#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace notify {

/// POST /webhooks/sms/twilio?scope=…&notification=…: the status callback of Twilio
/// (https://www.twilio.com/docs/messaging/guides/track-outbound-message-status). The service gives this URL
/// to Twilio with each message. Twilio's signature covers the URL. Responds with 204 to a callback with a
/// valid signature, else with 401. Callbacks may arrive late and in any order, so a callback never moves a
/// notification back.
asio::awaitable<http::Response> receive_sms_status(http::Request const& req, Deps& deps);

} // namespace notify
