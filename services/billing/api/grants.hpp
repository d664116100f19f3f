#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// POST /v1/users/{userId}/grants: an entitlement given by hand.
asio::awaitable<http::Response> create_grant(http::Request const& req, Deps& deps);
/// DELETE /v1/users/{userId}/grants/{entitlementId}: ends one; it stays, as `expired`.
asio::awaitable<http::Response> delete_grant(http::Request const& req, Deps& deps);

} // namespace billing
