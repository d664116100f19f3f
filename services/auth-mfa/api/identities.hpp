#pragma once

#include "deps.hpp"
#include "domain/id_token.hpp"
#include "domain/identity.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/identities
asio::awaitable<http::Response> link_identity(http::Request const& req, Deps& deps);
/// Links the identity, which its provider has proved, to the account of the caller. Call `require_fresh`
/// before. Throws CONFLICT if the identity is linked already, or if the account has the maximum number of
/// identities.
asio::awaitable<LinkedIdentity> link_proved_identity(
    http::Request const& req, Deps& deps, ExternalIdentity const& external);
/// GET /v1/auth/identities
asio::awaitable<http::Response> list_identities(http::Request const& req, Deps& deps);
/// DELETE /v1/auth/identities/{identityId}
asio::awaitable<http::Response> unlink_identity(http::Request const& req, Deps& deps);

} // namespace auth_mfa
