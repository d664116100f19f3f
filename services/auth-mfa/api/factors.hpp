#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// GET /v1/auth/mfa
asio::awaitable<http::Response> get_factors(http::Request const& req, Deps& deps);
/// POST /v1/auth/mfa/recovery-codes
asio::awaitable<http::Response> replace_recovery_codes(http::Request const& req, Deps& deps);

/// GET /v1/auth/mfa/devices
asio::awaitable<http::Response> list_devices(http::Request const& req, Deps& deps);
/// DELETE /v1/auth/mfa/devices
asio::awaitable<http::Response> forget_devices(http::Request const& req, Deps& deps);
/// DELETE /v1/auth/mfa/devices/{deviceId}
asio::awaitable<http::Response> forget_device(http::Request const& req, Deps& deps);

} // namespace auth_mfa
