#pragma once

#include "deps.hpp"
#include "http/message.hpp"

#include <string>
#include <string_view>

namespace auth_mfa {

/// GET /enroll: the hosted page that enrols a phone. Its consent text names the tenant's brand and the
/// company that sends the messages (SMS_BRAND_PROVIDER). The page loads only its own style sheet and script.
asio::awaitable<http::Response> get_enroll_page(http::Request const& req, Deps& deps);

/// GET /enroll.css
asio::awaitable<http::Response> get_enroll_style(http::Request const& req, Deps& deps);
/// GET /enroll.js
asio::awaitable<http::Response> get_enroll_script(http::Request const& req, Deps& deps);

/// `page` with `{{brand}}` and `{{provider}}` replaced. The values are escaped for HTML text and for quoted
/// attributes.
std::string render_page(std::string_view page, std::string_view brand, std::string_view provider);

} // namespace auth_mfa
