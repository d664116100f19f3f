#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// GET /v1/settings: the tenant's settings, from either environment. The response shows whether a secret is
/// set, but not the secret.
asio::awaitable<http::Response> get_settings(http::Request const& req, Deps& deps);
/// PATCH /v1/settings
asio::awaitable<http::Response> update_settings(http::Request const& req, Deps& deps);

} // namespace billing
