#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/reauthenticate
asio::awaitable<http::Response> reauthenticate(http::Request const& req, Deps& deps);
/// POST /v1/auth/reauthenticate/challenge
asio::awaitable<http::Response> send_reauthentication_code(http::Request const& req, Deps& deps);

} // namespace auth_mfa
