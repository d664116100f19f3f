#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// GET /v1/settings: the tenant's, whichever environment asks; of secrets only whether they are set.
asio::awaitable<http::Response> get_settings(http::Request const& req, Deps& deps);
/// PATCH /v1/settings
asio::awaitable<http::Response> update_settings(http::Request const& req, Deps& deps);

} // namespace billing
