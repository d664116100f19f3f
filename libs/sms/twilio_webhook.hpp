#pragma once

#include "core/secret.hpp"
#include "http/message.hpp"
#include "sms/phone.hpp"
#include "sms/twilio.hpp"

#include <optional>
#include <string>

namespace sms::twilio {

/// Checks the signature of a request from Twilio and returns its form. Twilio signs the URL that is
/// configured at Twilio: `webhook_url` (TWILIO_WEBHOOK_URL) with the query of this request. If `webhook_url`
/// is empty, the URL of the request is checked, with http and with https, because a proxy may have terminated
/// TLS. Throws UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR for a malformed form, UNAUTHORIZED for a wrong
/// signature.
http::Form require_signed(
    http::Request const& request, core::Secret const& auth_token, std::string const& webhook_url);

/// A message in which a phone asks the shared sender to stop its messages, or to send them again.
struct OptOutMessage {
    PhoneNumber phone;
    Keyword keyword{}; ///< never `none`
};

/// Reads a message of a phone (https://www.twilio.com/docs/messaging/guides/webhook-request). Returns nullopt
/// if the message has another text, or if its sender is no phone number.
std::optional<OptOutMessage> read_opt_out_message(http::Form const& parameters);

/// The response to a message of a phone: an empty TwiML document, so that Twilio sends no reply. The carrier
/// answers the keywords itself.
http::Response no_reply();

} // namespace sms::twilio
