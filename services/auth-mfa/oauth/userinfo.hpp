#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa::oauth {

/// GET and POST /oauth/userinfo (OpenID Connect Core 1.0, 5.3): the claims about the user of an access token.
asio::awaitable<http::Response> get_userinfo(http::Request const& req, Deps& deps);

} // namespace auth_mfa::oauth
