#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/register
asio::awaitable<http::Response> register_user(http::Request const& req, Deps& deps);
/// GET /v1/auth/me
asio::awaitable<http::Response> get_me(http::Request const& req, Deps& deps);
/// POST /v1/auth/password
asio::awaitable<http::Response> change_password(http::Request const& req, Deps& deps);

} // namespace auth_mfa
