#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// GET /v1/auth/activity
asio::awaitable<http::Response> list_activity(http::Request const& req, Deps& deps);
/// GET /v1/members/{userId}/activity
asio::awaitable<http::Response> list_member_activity(http::Request const& req, Deps& deps);

} // namespace auth_mfa
