#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// GET /v1/audit (audit::list_audit). Checks the user's current role, not the role in the token.
asio::awaitable<http::Response> list_audit(http::Request const& req, Deps& deps);

} // namespace auth_mfa
