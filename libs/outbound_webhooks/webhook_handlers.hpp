#pragma once

#include "core/clock.hpp"
#include "http/message.hpp"
#include "http_client/address.hpp"

#include <span>
#include <string_view>

namespace crypto {
class Keyring;
}

namespace pg {
class Database;
}

namespace outbound_webhooks {

class TestSender; // test_sender.hpp

/// The dependencies of the handlers, which must outlive them.
struct Api {
    pg::Database& db;
    core::Clock const& clock;
    crypto::Keyring const& keyring;
    /// The address policy of the Sender, so that a URL to which it must not send is refused at once.
    http_client::AddressPolicy addresses;
    std::span<std::string_view const> events; ///< the event types that the service publishes
    TestSender* tests = nullptr;              ///< for `test_webhook`; null if the service sends no webhooks
};

/// `POST /v1/webhooks` `{url, events?, description?, enabled?}`: 201 with the webhook and its `secret`, which
/// no later request shows. Supports Idempotency-Key; the stored response is encrypted. 409 CONFLICT if the
/// scope already has `max_per_scope` webhooks.
boost::asio::awaitable<http::Response> create_webhook(http::Request const& request, Api& api);

/// `GET /v1/webhooks?limit&cursor`: newest first.
boost::asio::awaitable<http::Response> list_webhooks(http::Request const& request, Api& api);

/// `GET /v1/webhooks/{webhookId}`, with an ETag.
boost::asio::awaitable<http::Response> get_webhook(http::Request const& request, Api& api);

/// `PATCH /v1/webhooks/{webhookId}` `{url?, events?, description?, enabled?}`. Supports If-Match. `enabled:
/// true` clears `disabledReason`.
boost::asio::awaitable<http::Response> update_webhook(http::Request const& request, Api& api);

/// `DELETE /v1/webhooks/{webhookId}`: also deletes its deliveries. Supports If-Match.
boost::asio::awaitable<http::Response> delete_webhook(http::Request const& request, Api& api);

/// `POST /v1/webhooks/{webhookId}/rotate-secret`: 200 with a new `secret`, which is shown only here. For 24
/// hours, deliveries are signed with both the new and the old secret.
boost::asio::awaitable<http::Response> rotate_webhook_secret(http::Request const& request, Api& api);

/// `GET /v1/webhooks/{webhookId}/deliveries?status&limit&cursor`: newest first.
boost::asio::awaitable<http::Response> list_deliveries(http::Request const& request, Api& api);

/// `GET /v1/webhooks/{webhookId}/deliveries/{deliveryId}`: one delivery with the event that it sends
/// (`payload`).
boost::asio::awaitable<http::Response> get_delivery(http::Request const& request, Api& api);

/// `POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver`: 202. The delivery is sent again under
/// the same `webhook-id`, with retries for another 3 days. 409 CONFLICT while the webhook is disabled.
boost::asio::awaitable<http::Response> redeliver(http::Request const& request, Api& api);

/// `POST /v1/webhooks/{webhookId}/test`: sends an event of the type `test_event` at once, also if the webhook
/// is disabled, and returns 200 with the result, also if the endpoint did not accept the event: `{status,
/// messageId, durationMs, responseCode, error, responseExcerpt}`. Requires `Api::tests`. Throws the errors of
/// TestSender.
boost::asio::awaitable<http::Response> test_webhook(http::Request const& request, Api& api);

} // namespace outbound_webhooks
