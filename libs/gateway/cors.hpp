#pragma once

#include "http/message.hpp"

#include <span>
#include <string>
#include <string_view>

/// Cross-origin requests (WHATWG Fetch, section 3.2): decides which pages may call the API from a browser and
/// read its responses. Pure functions.
namespace gateway::cors {

/// Whether `request` is a CORS preflight request.
bool is_preflight(http::Request const& request) noexcept;

/// Whether `origin` is exactly equal to one of `allowed`. `*` and `null` are never allowed, because they do
/// not identify a site.
bool is_allowed(std::string_view origin, std::span<std::string const> allowed) noexcept;

/// Whether `origin` is the https origin of `host` (`demo.auth.example.com`, lower case). http is accepted,
/// too, if `host` is local (auth::token::is_local), or if `plain_http` is true: the client reached the
/// service without TLS. The port must be the scheme's default. A subdomain of `localhost` may use any port.
bool is_page_of(std::string_view origin, std::string_view host, bool plain_http) noexcept;

/// The response to a preflight request that names no tenant or an unknown one: 204 that allows the requested
/// method and headers. The response does not depend on tenants, so it reveals nothing about them. The actual
/// request is still checked.
http::Response preflight_without_tenant(http::Request const& request, bool credentials = false);

/// The response to a preflight request: 204, with the allowed methods and headers if the origin is allowed.
/// `methods`: the methods of the path (`GET, POST`); empty for an unknown path. `credentials`: whether
/// requests may send cookies and responses may set them.
http::Response preflight(
    std::string_view origin, bool allowed, std::string_view methods, bool credentials = false);

/// Adds the headers that let the page read the response if `allowed`, and `Vary: Origin`, because the
/// response depends on the origin.
void expose(http::Response& response, std::string_view origin, bool allowed, bool credentials = false);

} // namespace gateway::cors
