#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// GET /v1/users/{userId}/features/{feature}. A caller with the role `user` may check only their own
/// features.
asio::awaitable<http::Response> check_feature(http::Request const& req, Deps& deps);
/// GET /v1/me/features/{feature}: as `check_feature`, for the user of the token.
asio::awaitable<http::Response> check_my_feature(http::Request const& req, Deps& deps);

} // namespace billing
