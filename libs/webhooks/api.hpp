#pragma once

#include "core/clock.hpp"
#include "http/address.hpp"
#include "http/message.hpp"
#include "pg/database.hpp"

#include <span>
#include <string_view>

namespace crypto {
class Keyring;
}

namespace webhooks {

/// What the handlers need; references outlive them.
struct Api {
    pg::Database& db;
    core::Clock const& clock;
    crypto::Keyring const& keyring;
    http::AddressPolicy addresses; ///< the sender's, so that what could never be delivered is refused at once
    std::span<std::string_view const> events; ///< the event types the service publishes
};

/// `POST /v1/webhooks` `{url, events?, description?, enabled?}`: 201 with the webhook and its `secret`, which
/// is shown this once (so an Idempotency-Key is not honoured). 409 CONFLICT when the scope has
/// `max_per_scope`.
boost::asio::awaitable<http::Response> create_webhook(http::Request const& request, Api& api);

/// `GET /v1/webhooks?limit&cursor`: newest first.
boost::asio::awaitable<http::Response> list_webhooks(http::Request const& request, Api& api);

/// `GET /v1/webhooks/{webhookId}`, with an ETag.
boost::asio::awaitable<http::Response> get_webhook(http::Request const& request, Api& api);

/// `PATCH /v1/webhooks/{webhookId}` `{url?, events?, description?, enabled?}`; honours If-Match. Enabling
/// clears `disabledReason`.
boost::asio::awaitable<http::Response> update_webhook(http::Request const& request, Api& api);

/// `DELETE /v1/webhooks/{webhookId}`: with its deliveries; honours If-Match.
boost::asio::awaitable<http::Response> delete_webhook(http::Request const& request, Api& api);

/// `POST /v1/webhooks/{webhookId}/rotate-secret`: 200 with a new `secret`, shown this once. For 24 hours
/// deliveries are signed with the old one too.
boost::asio::awaitable<http::Response> rotate_webhook_secret(http::Request const& request, Api& api);

/// `GET /v1/webhooks/{webhookId}/deliveries?status&limit&cursor`: newest first.
boost::asio::awaitable<http::Response> list_deliveries(http::Request const& request, Api& api);

/// `POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver`: 202; sent again under the same
/// `webhook-id`, retried for another 3 days. 409 CONFLICT while the webhook is disabled.
boost::asio::awaitable<http::Response> redeliver(http::Request const& request, Api& api);

} // namespace webhooks
