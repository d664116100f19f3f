#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /webhooks/sms/twilio: an inbound text message, signed by Twilio. The keyword STOP stores
/// an opt-out of the sender's number, which the carrier has already blocked. START removes the opt-out.
/// Responds with 401 if the signature is wrong.
asio::awaitable<http::Response> receive_twilio(http::Request const& req, Deps& deps);

/// DELETE /v1/admin/sms/opt-outs/{phone}: removes the opt-out of a number, for all tenants. The operator
/// calls it when the owner of the number has asked to receive messages again. Responds with 404 if the number
/// has not opted out.
asio::awaitable<http::Response> clear_opt_out(http::Request const& req, Deps& deps);

} // namespace auth_mfa
