#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// GET /v1/auth/mfa/devices
asio::awaitable<http::Response> list_devices(http::Request const& req, Deps& deps);
/// DELETE /v1/auth/mfa/devices
asio::awaitable<http::Response> forget_devices(http::Request const& req, Deps& deps);
/// DELETE /v1/auth/mfa/devices/{deviceId}
asio::awaitable<http::Response> forget_device(http::Request const& req, Deps& deps);

} // namespace auth_mfa
