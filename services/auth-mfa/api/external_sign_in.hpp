#pragma once

#include "deps.hpp"
#include "domain/id_token.hpp"
#include "flows/open_session.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/external
asio::awaitable<http::Response> sign_in_externally(http::Request const& req, Deps& deps);
/// Signs in the user with this identity, which its provider has proved. Creates the user at the first
/// sign-in. Throws the errors of sign_in_externally.
asio::awaitable<SignedIn> sign_in_with_identity(
    http::Request const& req, Deps& deps, ExternalIdentity const& identity);

} // namespace auth_mfa
