#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /webhooks/sms/twilio: an inbound message, signed by Twilio. STOP (which the carrier has obeyed
/// already) ends messages to that number, START lets them through again. 401 unless the signature is right.
asio::awaitable<http::Response> receive_message(http::Request const& req, Deps& deps);

/// DELETE /v1/admin/sms/opt-outs/{phone}: lets messages reach a number that has opted out, over all tenants;
/// for the operator, after its owner has asked. 404 when it has not.
asio::awaitable<http::Response> clear_opt_out(http::Request const& req, Deps& deps);

} // namespace auth_mfa
