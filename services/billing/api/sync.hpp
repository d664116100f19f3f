#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// POST /v1/sync/{userId}: sets what a user has from the purchase platform to what it says now, in both
/// environments. PURCHASES_API_NOT_CONFIGURED without a key; UPSTREAM_ERROR, with nothing changed, when the
/// platform does not answer as it should.
asio::awaitable<http::Response> sync_user(http::Request const& req, Deps& deps);

} // namespace billing
