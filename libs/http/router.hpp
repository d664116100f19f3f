#pragma once

#include "core/caller.hpp"
#include "core/error.hpp"
#include "http/message.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace http {

struct RouteOptions {
    bool idempotent = false;   ///< supports Idempotency-Key
    bool tenantless = false;   ///< works without a tenant (administration, uploads)
    bool streams_body = false; ///< the handler reads the body, not the gateway
    /// The maximum size of the body in bytes, inclusive. 0 means the default, which is `anonymous_body_limit`
    /// on routes without a credential, else `default_body_limit`.
    std::size_t body_limit = 0;
    /// Whether a request is expensive. The number of concurrent expensive requests per scope is limited. If
    /// null, no request is expensive.
    bool (*is_expensive)(Request const&) = nullptr;
    /// Whether the route writes data that both environments of a tenant share. If so, API keys and user
    /// tokens of the sandbox get 403.
    bool production_only = false;
    /// Whether the route also serves suspended tenants, and tenants that wait for their erasure. Its handler
    /// reads from the tenant whether it is suspended, and decides what to do. On other routes, requests of a
    /// suspended tenant get 403, except a GET by the operator and the erasure of a user.
    bool serves_suspended = false;
    /// Whether the requests of anonymous callers are counted for each network and tenant (the service's limit
    /// `gateway::RequestLimit::Options::of_network`).
    bool limits_networks = false;
    /// Makes the response for an error of this route, for routes that people open in a browser. Scripts of
    /// other origins cannot read such routes. If null, the response is a problem document.
    Response (*error_page)(Request const&, core::Error const&) = nullptr;
    /// As `error_page`, for routes whose protocol has its own form of errors, and which scripts may read.
    Response (*error_response)(Request const&, core::Error const&) = nullptr;
};

inline constexpr std::size_t anonymous_body_limit = std::size_t{16} * 1024;
inline constexpr std::size_t default_body_limit = std::size_t{1} << 20;

inline constexpr RouteOptions idempotent{.idempotent = true};
inline constexpr RouteOptions tenantless{.tenantless = true};

/// One route of a service. `path` has parameters in braces: `/v1/feedbacks/{feedbackId}`. Logs show the value
/// of a parameter only if the parameter's name ends in `Id` but is not `userId`, and the value is a UUID
/// (`shown_path`). So let a name end in `Id` only if the service generates the ids.
template <class Deps> struct Route {
    Method method;
    std::string_view path;
    core::Access access;
    asio::awaitable<Response> (*handler)(Request const&, Deps&);
    RouteOptions options{};
};

/// A route with its dependencies bound.
struct Endpoint {
    Method method;
    std::string_view path;
    core::Access access;
    RouteOptions options;
    std::function<asio::awaitable<Response>(Request const&)> handler;
    std::size_t index = 0; ///< position in the table; for metrics
};

/// Finds the endpoint of a method and path. Static segments take precedence over parameters. Matching takes
/// about one hash look-up per segment and allocates memory only for parameters.
class Router {
public:
    /// Throws std::logic_error if two endpoints have the same method and path, or if a path does not begin
    /// with a slash.
    explicit Router(std::vector<Endpoint> endpoints);
    ~Router();
    Router(Router&&) noexcept;
    Router& operator=(Router&&) noexcept;

    struct Match {
        Endpoint const* endpoint = nullptr; ///< null if no route has this path and method
        /// If the path has routes, but none with the request's method: their methods (`GET, HEAD, POST`), for
        /// the response 405. Otherwise empty.
        std::string allow;
        /// The pattern of a route with this path and any method; empty if there is none.
        std::string_view pattern;
    };

    /// On a match, fills `request.params` with percent-decoded values. The server has already converted HEAD
    /// to GET. A path that is not valid percent-encoded UTF-8 matches nothing. A parameter never matches an
    /// empty segment.
    Match match(Request& request) const;

    /// The endpoints in the order in which they were passed to the constructor, each with its body limit set.
    std::span<Endpoint const> endpoints() const noexcept { return endpoints_; }

private:
    struct Node;
    std::vector<Endpoint> endpoints_;
    std::unique_ptr<Node> root_;
};

/// Redacts a request's path for logs: `pattern` with the values of those parameters that may be shown (see
/// Route).
std::string shown_path(
    std::string_view pattern, std::span<std::pair<std::string_view, std::string> const> params);

template <class Deps> std::vector<Endpoint> bind(std::span<Route<Deps> const> routes, Deps& deps)
{
    std::vector<Endpoint> endpoints;
    endpoints.reserve(routes.size());
    for (auto const& route : routes) {
        endpoints.push_back({route.method, route.path, route.access, route.options,
            [handler = route.handler, &deps](Request const& request) { return handler(request, deps); },
            endpoints.size()});
    }
    return endpoints;
}

} // namespace http
