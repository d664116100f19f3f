#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// Whether the request for a list of subscribers has a filter that no index supports. Such a list may read
/// many entitlements to find few.
bool scans_subscribers(http::Request const& req);

/// GET /v1/subscribers: the entitlements of all users, one per user and product.
asio::awaitable<http::Response> list_subscribers(http::Request const& req, Deps& deps);

} // namespace billing
