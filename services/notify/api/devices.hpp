#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace notify {

/// POST /v1/devices
asio::awaitable<http::Response> register_device(http::Request const& req, Deps& deps);
/// GET /v1/devices?userId=
asio::awaitable<http::Response> list_devices(http::Request const& req, Deps& deps);
/// DELETE /v1/devices/{token}
asio::awaitable<http::Response> unregister_device(http::Request const& req, Deps& deps);

/// Throws the NOT_FOUND error for a device token that is not registered in the scope.
[[noreturn]] void device_not_found();

} // namespace notify
