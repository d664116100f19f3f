#pragma once

#include "core/secret.hpp"
#include "http/message.hpp"
#include "sms/twilio.hpp"

#include <string>

namespace sms::twilio {

/// Checks the signature of a request from Twilio and returns its form. Twilio signs the URL that is
/// configured at Twilio: `webhook_url` (TWILIO_WEBHOOK_URL) with the query of this request. If `webhook_url`
/// is empty, the URL of the request is checked, with http and with https, because a proxy may have terminated
/// TLS. Throws UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR for a malformed form, UNAUTHORIZED for a wrong
/// signature.
http::Form require_signed(
    http::Request const& request, core::Secret const& auth_token, std::string const& webhook_url);

} // namespace sms::twilio
