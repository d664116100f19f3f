#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// POST /v1/users/{userId}/grants: creates a manual entitlement.
asio::awaitable<http::Response> create_grant(http::Request const& req, Deps& deps);
/// DELETE /v1/users/{userId}/grants/{entitlementId}: ends a manual entitlement. The entitlement stays stored,
/// with the status `expired`.
asio::awaitable<http::Response> delete_grant(http::Request const& req, Deps& deps);

} // namespace billing
