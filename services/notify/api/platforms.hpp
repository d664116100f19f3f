#pragma once

#include "deps.hpp"
#include "http/message.hpp"

/// The API calls a scope's configuration of a carrier (storage/carrier_configs.hpp) a platform.
namespace notify {

/// PUT /v1/platforms/{kind}. For `webpush`, makes the scope's keys, or a new key (`rotate`).
asio::awaitable<http::Response> put_platform(http::Request const& req, Deps& deps);
/// GET /v1/platforms
asio::awaitable<http::Response> list_platforms(http::Request const& req, Deps& deps);
/// GET /v1/platforms/webpush: the public key with which browsers subscribe
asio::awaitable<http::Response> get_web_push_key(http::Request const& req, Deps& deps);
/// DELETE /v1/platforms/{kind}
asio::awaitable<http::Response> delete_platform(http::Request const& req, Deps& deps);

} // namespace notify
