#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa::oauth {

/// POST /oauth/token (RFC 6749, 3.2; OpenID Connect Core 1.0, 3.1.3): exchanges an authorization code or a
/// refresh token for tokens.
asio::awaitable<http::Response> post_token(http::Request const& req, Deps& deps);

} // namespace auth_mfa::oauth
