#pragma once

#include "deps.hpp"
#include "http/message.hpp"

/// The tenant console: a single-page application (libs/console). Without a built application, its routes are
/// 404.
namespace auth_mfa::pages {

/// GET /console and the paths below it, which the parameters `page`, `item`, `part` and `detail` name.
asio::awaitable<http::Response> get_console(http::Request const& req, Deps& deps);
/// GET /console/assets/{file}
asio::awaitable<http::Response> get_console_asset(http::Request const& req, Deps& deps);
/// GET /console/config.json
asio::awaitable<http::Response> get_console_config(http::Request const& req, Deps& deps);

} // namespace auth_mfa::pages
