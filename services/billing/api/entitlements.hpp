#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// GET /v1/entitlements?userId=
asio::awaitable<http::Response> list_entitlements(http::Request const& req, Deps& deps);
/// GET /v1/users/{userId}/entitlements: the current entitlements, or with `at` the entitlements at that time.
asio::awaitable<http::Response> get_user_entitlements(http::Request const& req, Deps& deps);

} // namespace billing
