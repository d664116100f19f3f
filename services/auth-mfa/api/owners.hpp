#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/admin/tenants/{slug}/owners
asio::awaitable<http::Response> create_owner(http::Request const& req, Deps& deps);

} // namespace auth_mfa
