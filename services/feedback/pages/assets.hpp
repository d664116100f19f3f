#pragma once

#include "deps.hpp"
#include "http/message.hpp"

#include <string>
#include <string_view>

/// The style sheet, the script and the logo of the board. The addresses contain the version, so browsers keep
/// them.
namespace feedback::pages {

/// The address below `/board/assets/` of the style sheet for an accent colour (`#rrggbb`, or empty for the
/// default). Its name contains the version, and its query the colour.
std::string style_address(std::string_view accent);

/// The address below `/board/assets/` of the script. Its name contains the version.
std::string const& script_address();

/// GET /board/assets/{file}: the style sheet, with the colours of the parameter `accent` (`rrggbb`), or the
/// script. For the name of another version, the response is the current file, which browsers then do not
/// keep.
asio::awaitable<http::Response> get_asset(http::Request const& req, Deps& deps);

/// GET /board/logo
asio::awaitable<http::Response> get_logo_image(http::Request const& req, Deps& deps);

} // namespace feedback::pages
