#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// GET /v1/entitlements?userId=
asio::awaitable<http::Response> list_entitlements(http::Request const& req, Deps& deps);
/// GET /v1/users/{userId}/entitlements: the current entitlements, or with `at` the entitlements at that time.
/// A caller with the role `user` gets only their own entitlements.
asio::awaitable<http::Response> get_user_entitlements(http::Request const& req, Deps& deps);
/// GET /v1/me/entitlements: as `get_user_entitlements`, for the user of the token.
asio::awaitable<http::Response> get_my_entitlements(http::Request const& req, Deps& deps);

/// Whether the request reads the user's history from the archive, which may take long.
bool reads_history(http::Request const& req);

} // namespace billing
