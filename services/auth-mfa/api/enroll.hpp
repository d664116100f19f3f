#pragma once

#include "deps.hpp"
#include "http/message.hpp"

#include <string>
#include <string_view>

namespace auth_mfa {

/// GET /enroll: the hosted page that enrols a phone. Brand and provider stand in its consent language
/// (interfaces.md, B.5). It loads nothing but its own style and script.
asio::awaitable<http::Response> get_enroll_page(http::Request const& req, Deps& deps);

asio::awaitable<http::Response> get_enroll_style(http::Request const& req, Deps& deps);
asio::awaitable<http::Response> get_enroll_script(http::Request const& req, Deps& deps);

/// `page` with `{{brand}}` and `{{provider}}` replaced, safe as HTML text and inside a quoted attribute.
std::string render_page(std::string_view page, std::string_view brand, std::string_view provider);

} // namespace auth_mfa
