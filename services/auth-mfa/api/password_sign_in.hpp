#pragma once

#include "deps.hpp"
#include "flows/open_session.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/login
asio::awaitable<http::Response> login(http::Request const& req, Deps& deps);
/// The part of `login` before its response.
asio::awaitable<SignedIn> sign_in_with_password(http::Request const& req, Deps& deps);

} // namespace auth_mfa
