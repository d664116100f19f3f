#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// POST /webhooks/purchases: an event of the in-app purchase platform. The value of the `Authorization`
/// header must equal the tenant's `purchasesSecret`. Status 200: the response states the event's result.
/// Status 400: the event is malformed; it is archived as `rejected`.
asio::awaitable<http::Response> receive_purchase_event(http::Request const& req, Deps& deps);
/// POST /webhooks/payments: an event of the card payment provider, signed with one of the tenant's
/// `paymentsSigningSecrets`. Responds like `receive_purchase_event`.
asio::awaitable<http::Response> receive_payment_event(http::Request const& req, Deps& deps);

} // namespace billing
