#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// GET /enroll: the hosted page that enrols a phone. Its consent text names the tenant's brand and the
/// company that sends the messages (SMS_BRAND_PROVIDER). The page loads only its own style sheet and script.
asio::awaitable<http::Response> get_enroll_page(http::Request const& req, Deps& deps);

/// GET /enroll.css: the style sheet of all hosted pages.
asio::awaitable<http::Response> get_enroll_style(http::Request const& req, Deps& deps);
/// GET /enroll.js
asio::awaitable<http::Response> get_enroll_script(http::Request const& req, Deps& deps);

} // namespace auth_mfa
