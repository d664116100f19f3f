#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// Handles `GET /v1/erasures[?limit=][&cursor=]`: the erasures of deleted accounts, newest first.
asio::awaitable<http::Response> list_erasures(http::Request const& req, Deps& deps);

/// Handles `GET /v1/erasures/{erasureId}`.
asio::awaitable<http::Response> get_erasure(http::Request const& req, Deps& deps);

} // namespace auth_mfa
