#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/login
asio::awaitable<http::Response> login(http::Request const& req, Deps& deps);

} // namespace auth_mfa
