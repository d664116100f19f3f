#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace notify {

/// POST /v1/devices/{token}/test. Sends a push to one device and waits for the carrier's response. Removes
/// the device if the carrier responds that the token is gone. Throws RATE_LIMITED if `test_limit` is
/// exceeded, and PUSH_CHANNEL_DISABLED if push is disabled or no credentials are stored for the device's
/// carrier.
asio::awaitable<http::Response> test_device(http::Request const& req, Deps& deps);

} // namespace notify
