#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/identities
asio::awaitable<http::Response> link_identity(http::Request const& req, Deps& deps);
/// GET /v1/auth/identities
asio::awaitable<http::Response> list_identities(http::Request const& req, Deps& deps);
/// DELETE /v1/auth/identities/{identityId}
asio::awaitable<http::Response> unlink_identity(http::Request const& req, Deps& deps);

} // namespace auth_mfa
