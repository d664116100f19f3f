#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa::oauth {

/// POST /oauth/introspect (RFC 7662): tells a confidential client whether a token is valid, and its claims.
asio::awaitable<http::Response> post_introspect(http::Request const& req, Deps& deps);

} // namespace auth_mfa::oauth
