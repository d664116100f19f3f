#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa::oauth {

/// POST /oauth/par: stores the parameters of an authorization request (RFC 9126). The response is
/// `{request_uri, expires_in}`.
asio::awaitable<http::Response> post_pushed_request(http::Request const& req, Deps& deps);

} // namespace auth_mfa::oauth
