#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// GET /.well-known/jwks.json
asio::awaitable<http::Response> get_jwks(http::Request const& req, Deps& deps);
/// GET /.well-known/openid-configuration (OpenID Connect Discovery 1.0) and
/// /.well-known/oauth-authorization-server (RFC 8414)
asio::awaitable<http::Response> get_discovery(http::Request const& req, Deps& deps);
/// GET /.well-known/webauthn: the origins that may use passkeys of the auth host ("related origins")
asio::awaitable<http::Response> get_passkey_origins(http::Request const& req, Deps& deps);

} // namespace auth_mfa
