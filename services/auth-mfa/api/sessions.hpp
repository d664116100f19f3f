#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/refresh
asio::awaitable<http::Response> refresh(http::Request const& req, Deps& deps);
/// POST /v1/auth/logout
asio::awaitable<http::Response> logout(http::Request const& req, Deps& deps);
/// GET /v1/auth/sessions
asio::awaitable<http::Response> list_sessions(http::Request const& req, Deps& deps);
/// DELETE /v1/auth/sessions
asio::awaitable<http::Response> end_other_sessions(http::Request const& req, Deps& deps);
/// DELETE /v1/auth/sessions/{sessionId}
asio::awaitable<http::Response> end_session(http::Request const& req, Deps& deps);

} // namespace auth_mfa
