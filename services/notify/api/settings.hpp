#pragma once

#include "deps.hpp"
#include "http/message.hpp"

#include <boost/json/object.hpp>

namespace notify {

/// GET /v1/settings
asio::awaitable<http::Response> get_settings(http::Request const& req, Deps& deps);
/// PATCH /v1/settings
asio::awaitable<http::Response> update_settings(http::Request const& req, Deps& deps);

/// `pushEnabled` of a scope's settings; true by default.
bool push_enabled(boost::json::object const& settings);

} // namespace notify
