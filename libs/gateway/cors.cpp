#include "gateway/cors.hpp"

#include "auth/token_claims.hpp"

#include <algorithm>

namespace gateway::cors {

namespace {

constexpr char const* allowed_headers =
    "Authorization, Content-Type, If-Match, Idempotency-Key, X-Tenant-Slug, "
    "X-Tenant-Env, X-Request-Id, traceparent";
constexpr char const* exposed_headers =
    "ETag, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, Location";
constexpr char const* max_age = "600";

/// Adds `Origin` to the `Vary` header of the response, which a handler may have set.
void vary(http::Response& response)
{
    for (auto& [name, value] : response.headers) {
        if (name != "Vary") continue;
        value += ", Origin";
        return;
    }
    response.headers.emplace_back("Vary", "Origin");
}

void allow_origin(http::Response& response, std::string_view origin, bool credentials)
{
    response.headers.emplace_back("Access-Control-Allow-Origin", origin);
    if (credentials) response.headers.emplace_back("Access-Control-Allow-Credentials", "true");
}

} // namespace

bool is_preflight(http::Request const& request) noexcept
{
    return request.method == http::Method::options && request.header("Origin") &&
           request.header("Access-Control-Request-Method");
}

bool is_allowed(std::string_view origin, std::span<std::string const> allowed) noexcept
{
    if (origin.empty() || origin == "*" || origin == "null") return false;
    return std::ranges::find(allowed, origin) != allowed.end();
}

bool is_page_of(std::string_view origin, std::string_view host, bool plain_http) noexcept
{
    constexpr std::string_view secure = "https://", plain = "http://";
    bool const local = auth::token::is_local(host);
    if (origin.starts_with(secure))
        origin.remove_prefix(secure.size());
    else if ((local || plain_http) && origin.starts_with(plain))
        origin.remove_prefix(plain.size());
    else
        return false;
    if (!origin.starts_with(host)) return false;
    auto const port = origin.substr(host.size());
    if (port.empty()) return true;
    return local && port.size() > 1 && port.size() <= 6 && port.front() == ':' &&
           port.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

http::Response preflight_without_tenant(http::Request const& request, bool credentials)
{
    auto const asked = [&](std::string_view name) { return request.header(name).value_or(""); };
    auto const origin = asked("Origin");
    bool const is_one = !origin.empty() && origin != "*" && origin != "null";
    auto response = preflight(origin, is_one, asked("Access-Control-Request-Method"), credentials);
    auto const headers = asked("Access-Control-Request-Headers");
    for (auto& [name, value] : response.headers)
        if (name == "Access-Control-Allow-Headers" && !headers.empty()) value = headers;
    return response;
}

http::Response preflight(std::string_view origin, bool allowed, std::string_view methods, bool credentials)
{
    http::Response response{.status = 204, .content_type = ""};
    response.headers.emplace_back(
        "Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers");
    if (!allowed) return response;
    allow_origin(response, origin, credentials);
    if (methods.empty()) return response;
    response.headers.emplace_back("Access-Control-Allow-Methods", methods);
    response.headers.emplace_back("Access-Control-Allow-Headers", allowed_headers);
    response.headers.emplace_back("Access-Control-Max-Age", max_age);
    return response;
}

void expose(http::Response& response, std::string_view origin, bool allowed, bool credentials)
{
    vary(response);
    if (!allowed) return;
    allow_origin(response, origin, credentials);
    response.headers.emplace_back("Access-Control-Expose-Headers", exposed_headers);
}

} // namespace gateway::cors
