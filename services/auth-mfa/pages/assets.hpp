#pragma once

#include "deps.hpp"
#include "http/message.hpp"

#include <string>
#include <string_view>

/// The style sheet and the script of the pages. Their addresses contain the version, so browsers keep them.
namespace auth_mfa::pages {

/// Changes with the contents of the files.
std::string_view asset_version();

/// The query of the style sheet's address for an accent colour (`#rrggbb`, or empty for the default).
std::string style_query(std::string_view accent);

/// GET /pages.css: the style sheet, with the colours of the parameter `accent` (`rrggbb`).
asio::awaitable<http::Response> get_style(http::Request const& req, Deps& deps);
/// GET /pages.js
asio::awaitable<http::Response> get_script(http::Request const& req, Deps& deps);

} // namespace auth_mfa::pages
