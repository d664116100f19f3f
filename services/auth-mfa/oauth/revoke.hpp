#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa::oauth {

/// POST /oauth/revoke (RFC 7009): ends the session of a refresh token or access token of the client.
asio::awaitable<http::Response> post_revoke(http::Request const& req, Deps& deps);

} // namespace auth_mfa::oauth
