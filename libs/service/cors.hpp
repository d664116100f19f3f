#pragma once

#include "http/message.hpp"

#include <span>
#include <string>
#include <string_view>

/// Cross-origin requests (WHATWG Fetch, section 3.2): which pages may call the API from a browser, and what
/// they see of the answers. Pure.
namespace service::cors {

/// Whether `request` is the question a browser asks before the actual request.
bool is_preflight(http::Request const& request) noexcept;

/// Whether `origin` is, character for character, one of `allowed`. `*` and `null` are never allowed: they
/// would name no one.
bool is_allowed(std::string_view origin, std::span<std::string const> allowed) noexcept;

/// Whether `origin` is a page of `host` (`demo.auth.example.com`, lower case): by https; by http too when
/// `host` is local (auth::token::is_local) or `plain_http` says that the service itself is reached without
/// TLS. With the scheme's own port, or below `localhost` with any.
bool is_page_of(std::string_view origin, std::string_view host, bool plain_http) noexcept;

/// The answer to a preflight that names no tenant, or one that there is not: 204, with what it asks for. It
/// says nothing of any tenant, and the actual request is checked.
http::Response preflight_without_tenant(http::Request const& request, bool credentials = false);

/// The answer to a preflight: 204, with what is allowed if the origin is. `methods`: what the path has (`GET,
/// POST`); empty for a path that does not exist. `credentials`: whether that is to come with cookies, and to
/// set them.
http::Response preflight(
    std::string_view origin, bool allowed, std::string_view methods, bool credentials = false);

/// Lets the page read the response, and tells caches that it depends on the origin.
void expose(http::Response& response, std::string_view origin, bool allowed, bool credentials = false);

} // namespace service::cors
