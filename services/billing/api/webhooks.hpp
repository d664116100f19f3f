#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// POST /webhooks/purchases: an event of the in-app purchase platform, with the tenant's secret as the whole
/// `Authorization` header. 200 says what became of it; 400: malformed, and archived.
asio::awaitable<http::Response> receive_purchase_event(http::Request const& req, Deps& deps);
/// POST /webhooks/payments: an event of the card payment provider, signed.
asio::awaitable<http::Response> receive_payment_event(http::Request const& req, Deps& deps);

} // namespace billing
