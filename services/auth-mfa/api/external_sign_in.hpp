#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/external
asio::awaitable<http::Response> sign_in_externally(http::Request const& req, Deps& deps);

} // namespace auth_mfa
