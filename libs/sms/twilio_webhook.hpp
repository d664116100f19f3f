#pragma once

#include "core/secret.hpp"
#include "http/message.hpp"
#include "sms/twilio.hpp"

#include <string>

namespace sms::twilio {

/// The form of a request that Twilio has made to us and signed. What is signed is the address Twilio was
/// told: `webhook_url` (TWILIO_WEBHOOK_URL) with the query that this request came with; empty: the address
/// that the request itself names, in either scheme, because a proxy may have taken TLS off. Throws
/// UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR for a form that is malformed, UNAUTHORIZED for anybody else's.
Parameters require_signed(
    http::Request const& request, core::Secret const& auth_token, std::string const& webhook_url);

} // namespace sms::twilio
