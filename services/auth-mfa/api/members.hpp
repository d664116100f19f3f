#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// GET /v1/members
asio::awaitable<http::Response> list_members(http::Request const& req, Deps& deps);
/// PATCH /v1/members/{userId}
asio::awaitable<http::Response> update_member(http::Request const& req, Deps& deps);
/// DELETE /v1/members/{userId}/mfa
asio::awaitable<http::Response> reset_member(http::Request const& req, Deps& deps);

} // namespace auth_mfa
