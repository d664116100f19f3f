#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// Whether a request searches a part of the addresses, which reads every member.
bool searches_members(http::Request const& req);

/// GET /v1/members
asio::awaitable<http::Response> list_members(http::Request const& req, Deps& deps);
/// GET /v1/members/{userId}
asio::awaitable<http::Response> get_member(http::Request const& req, Deps& deps);
/// POST /v1/members
asio::awaitable<http::Response> create_member(http::Request const& req, Deps& deps);
/// PATCH /v1/members/{userId}
asio::awaitable<http::Response> update_member(http::Request const& req, Deps& deps);
/// DELETE /v1/members/{userId}/sessions
asio::awaitable<http::Response> end_member_sessions(http::Request const& req, Deps& deps);
/// DELETE /v1/members/{userId}/mfa
asio::awaitable<http::Response> reset_member(http::Request const& req, Deps& deps);

} // namespace auth_mfa
