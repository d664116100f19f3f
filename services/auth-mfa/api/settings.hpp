#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// GET /v1/settings
asio::awaitable<http::Response> get_settings(http::Request const& req, Deps& deps);
/// PATCH /v1/settings
asio::awaitable<http::Response> update_settings(http::Request const& req, Deps& deps);

} // namespace auth_mfa
