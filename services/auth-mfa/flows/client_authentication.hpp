#pragma once

#include "deps.hpp"
#include "domain/client.hpp"
#include "http/form.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// The client that sends the request `req` with the parameters `form`, authenticated by the one method that
/// its registration asks for (RFC 6749, 2.3; OpenID Connect Core 1.0, 9):
/// - `none` for a public client: `client_id`;
/// - `client_secret_basic` or `client_secret_post` for a client with a secret;
/// - `private_key_jwt` for a client with `jwks` (RFC 7523). Its assertion is accepted once.
/// Throws `invalid_request` if the request contains no client, or more than one method. Throws
/// `invalid_client` if there is no such client, or the authentication fails. Failures count per network:
/// beyond the limit, throws RATE_LIMITED. Throws redis::Unavailable if Redis is needed and cannot be used.
asio::awaitable<Client> require_client(http::Request const& req, Deps& deps, http::Form const& form);

} // namespace auth_mfa
