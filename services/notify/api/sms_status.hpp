#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace notify {

/// POST /webhooks/sms/twilio: requests of Twilio. Twilio's signature covers the URL. Responds with 401 if the
/// signature is wrong.
///
/// - The status callback of a message, with `?scope=…&notification=…`
///   (https://www.twilio.com/docs/messaging/guides/track-outbound-message-status). The service gives this URL
///   to Twilio with each message. Callbacks may arrive late and in any order, so a callback never moves a
///   notification back. Responds with 204.
/// - A message of a phone to the shared sender. START lifts the suppressions of the phone's number in all
///   scopes; all other messages are ignored. Responds with 200 and an empty TwiML document.
asio::awaitable<http::Response> receive_sms_status(http::Request const& req, Deps& deps);

} // namespace notify
