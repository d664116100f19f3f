#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// POST /webhooks/purchases: an event of the purchase provider. The value of the `Authorization` header must
/// equal the tenant's `purchasesSecret` or `purchasesSecretPrevious`. If the tenant has a
/// `purchasesSecretSandbox`, events of the sandbox need this secret, and other events must not have it.
///
/// The response has status 200 and states the event's result. A malformed event is archived as `rejected` and
/// gets status 400. A refused event gets status 401 and is not archived. An event of a suspended tenant is
/// archived as `deferred`.
asio::awaitable<http::Response> receive_purchase_event(http::Request const& req, Deps& deps);
/// POST /webhooks/payments: an event of the payments provider, signed with one of the tenant's
/// `paymentsSigningSecrets` for the environment that `livemode` states. Responds like
/// `receive_purchase_event`.
asio::awaitable<http::Response> receive_payment_event(http::Request const& req, Deps& deps);

} // namespace billing
