#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// POST /v1/sync/{userId}[?source=purchases|payments]: fetches a user's purchases and subscriptions from the
/// providers, and sets the user's entitlements to that state, in both environments. Without `source`, asks
/// each provider whose API key is set. Throws PURCHASES_API_NOT_CONFIGURED or PAYMENTS_API_NOT_CONFIGURED
/// without an API key, and UPSTREAM_ERROR if a request to a provider fails; in these cases no entitlement
/// changes. Throws CONFLICT or RATE_LIMITED if other syncs of the user or tenant do not end in time.
asio::awaitable<http::Response> sync_user(http::Request const& req, Deps& deps);

} // namespace billing
