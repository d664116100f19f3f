#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// POST /v1/sync/{userId}: fetches a user's purchases from the purchase provider, and sets the user's
/// entitlements from purchases to that state, in both environments. Throws PURCHASES_API_NOT_CONFIGURED
/// without an API key, and UPSTREAM_ERROR if the request to the provider fails; in both cases no entitlement
/// changes. Throws CONFLICT or RATE_LIMITED if other syncs of the user or tenant do not end in time.
asio::awaitable<http::Response> sync_user(http::Request const& req, Deps& deps);

} // namespace billing
