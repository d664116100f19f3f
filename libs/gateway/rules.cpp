#include "gateway/rules.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>

namespace gateway {

namespace {

constexpr std::size_t max_token_size = 8192;
constexpr std::array methods{
    http::Method::get, http::Method::post, http::Method::put, http::Method::patch, http::Method::del};

bool is_api(std::string_view path) noexcept
{
    return path == "/v1" || path.starts_with("/v1/");
}

RouteRules rules_of(http::Endpoint const& endpoint)
{
    bool const anonymous = core::allows(endpoint.access, core::Access::anonymous);
    return {.anonymous = anonymous,
        .optional_credential = anonymous && endpoint.access != core::Access::anonymous,
        .tenantless = endpoint.options.tenantless};
}

std::string_view bearer(std::string_view value) noexcept
{
    std::size_t const space = std::min(value.find(' '), value.size());
    value.remove_prefix(space);
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    if (value.size() > max_token_size || value.find_first_of(" \t,") != std::string_view::npos) return {};
    return value;
}

bool is_bearer(std::string_view value) noexcept
{
    return core::equal_ignoring_case(value.substr(0, value.find(' ')), "Bearer");
}

} // namespace

RouteRules rules_of(
    http::Router const& router, http::Request const& request, http::Router::Match const& match)
{
    if (match.endpoint != nullptr) return rules_of(*match.endpoint);
    if (match.allow.empty()) return {.unknown_outside_api = !is_api(request.path)};
    http::Request other;
    other.path = request.path;
    for (auto const method : methods) {
        other.method = method;
        if (auto const found = router.match(other); found.endpoint != nullptr)
            return rules_of(*found.endpoint);
    }
    return {};
}

Credential read_credential(http::Request const& request) noexcept
{
    Credential credential;
    std::size_t count = 0;
    for (auto const& header : request.headers) {
        if (!core::equal_ignoring_case(header.name, "Authorization")) continue;
        ++count;
        if (!is_bearer(header.value)) continue;
        credential.sent = true;
        credential.token = bearer(header.value);
    }
    if (count > 1) credential.token = {};
    return credential;
}

std::optional<std::string> joined_header(http::Request const& request, std::string_view name)
{
    std::optional<std::string> all;
    for (auto const& header : request.headers) {
        if (!core::equal_ignoring_case(header.name, name)) continue;
        if (!all) {
            all.emplace(header.value);
            continue;
        }
        *all += ',';
        *all += header.value;
    }
    return all;
}

bool agrees(tenancy::Resolution const& named, std::string_view slug, core::Environment environment) noexcept
{
    if (named.kind == tenancy::Resolution::Kind::unknown) return false;
    if (named.environment && *named.environment != environment) return false;
    return named.kind == tenancy::Resolution::Kind::nothing || named.slug == slug;
}

std::string rate_subject(http::Context const& context)
{
    if (context.caller.is_jwt() || context.caller.kind == core::Access::client)
        return rate_subject_of_user(context.scope.id, context.caller.id);
    return core::to_string(context.scope.id) + ':' + context.caller.id; // a key's id begins with `key:`
}

std::string rate_subject_of_user(core::ScopeId scope_id, std::string_view user_id)
{
    return core::to_string(scope_id).append(":user:").append(user_id);
}

std::string rate_subject_of_network(core::ScopeId scope_id, std::int64_t network)
{
    return core::to_string(scope_id).append(":network:").append(std::to_string(network));
}

std::string_view to_string(core::Access kind) noexcept
{
    switch (kind) {
    case core::Access::key:
        return "key";
    case core::Access::publishable_key:
        return "publishable_key";
    case core::Access::user:
        return "user";
    case core::Access::admin:
        return "admin";
    case core::Access::owner:
        return "owner";
    case core::Access::master:
        return "master";
    case core::Access::enrolment:
        return "enrolment";
    case core::Access::erasure:
        return "erasure";
    case core::Access::client:
        return "client";
    default:
        return "anonymous";
    }
}

bool is_plain_http(http::Request const& request, TrustedProxies const& proxies)
{
    boost::system::error_code not_an_address;
    auto const peer = boost::asio::ip::make_address(request.remote_address, not_an_address);
    if (not_an_address || !proxies.contains(peer)) return false;
    // A client may send the header itself, so only the last element is certainly from the proxy.
    auto const list = joined_header(request, "X-Forwarded-Proto").value_or("");
    std::string_view const last = std::string_view(list).substr(list.rfind(',') + 1);
    return core::equal_ignoring_case(core::trim(last), "http");
}

} // namespace gateway
