#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace notify {

/// POST /v1/devices/{token}/test: sends a push to one device and waits for what the carrier says; a token
/// that it calls gone is removed. RATE_LIMITED past `test_limit`; PUSH_CHANNEL_DISABLED when push is switched
/// off or the device's carrier is not configured.
asio::awaitable<http::Response> test_device(http::Request const& req, Deps& deps);

} // namespace notify
