#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/password/forgot
asio::awaitable<http::Response> request_password_reset(http::Request const& req, Deps& deps);
/// POST /v1/auth/password/reset
asio::awaitable<http::Response> reset_password(http::Request const& req, Deps& deps);

} // namespace auth_mfa
