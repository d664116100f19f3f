#pragma once

#include "auth/api_keys.hpp"
#include "http/message.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>

/// The handlers of `/v1/keys`.
namespace auth {

/// `POST /v1/keys {environment[, kind]}`: 201 `{key, environment, prefix, createdAt[, kind]}`. The key
/// belongs to the environment in the body, which may differ from the host's. Only the operator can create
/// production keys through the host of the sandbox; other callers get 403.
asio::awaitable<http::Response> mint_key(http::Request const& request, ApiKeys& keys);

/// `POST /v1/keys/{environment}/rotate {gracePeriodSeconds?}`, body optional: creates a key of `kind` (an
/// index into the configured kinds) and responds like `mint_key`. The older keys of that kind end at once, or
/// after the grace period (0..604800 s).
asio::awaitable<http::Response> rotate_key(http::Request const& request, ApiKeys& keys, std::size_t kind = 0);

/// `GET /v1/keys[?environment=][&limit=][&cursor=]`: `{items: [{prefix, environment[, kind], createdAt,
/// lastUsedAt, expiresAt}], cursor}`: the valid keys of `environment`, newest first. Without `environment`,
/// lists the keys of the host's environment.
asio::awaitable<http::Response> list_keys(http::Request const& request, ApiKeys& keys);

/// `DELETE /v1/keys/{prefix}`: 200 `{"deleted":true}`; 404 for a key that is unknown in the host's scope,
/// already revoked or expired.
asio::awaitable<http::Response> revoke_key(http::Request const& request, ApiKeys& keys);

} // namespace auth
