#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/mfa/challenge
asio::awaitable<http::Response> send_challenge(http::Request const& req, Deps& deps);
/// POST /v1/auth/mfa/verify
asio::awaitable<http::Response> verify_challenge(http::Request const& req, Deps& deps);

} // namespace auth_mfa
