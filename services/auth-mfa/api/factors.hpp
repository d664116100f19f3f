#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// GET /v1/auth/mfa
asio::awaitable<http::Response> get_factors(http::Request const& req, Deps& deps);

} // namespace auth_mfa
