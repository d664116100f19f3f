#pragma once

#include "core/identity.hpp"
#include "http/message.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace http {

struct RouteOptions {
    bool idempotent = false;   ///< honours Idempotency-Key
    bool tenantless = false;   ///< works without a tenant (administration, uploads)
    bool streams_body = false; ///< the handler reads the body itself
    /// Bytes, inclusive. 0 stands for what the router makes of it: `anonymous_body_limit` where no credential
    /// is needed, else `default_body_limit`.
    std::size_t body_limit = 0;
    /// Whether a request costs so much that a scope has few of them running at once; null: none does.
    bool (*heavy)(Request const&) = nullptr;
    /// Writes what both environments of a tenant share: 403 to API keys and user tokens of the sandbox.
    bool production_only = false;
};

inline constexpr std::size_t anonymous_body_limit = std::size_t{16} * 1024;
inline constexpr std::size_t default_body_limit = std::size_t{1} << 20;

inline constexpr RouteOptions idempotent{.idempotent = true};
inline constexpr RouteOptions tenantless{.tenantless = true};

/// One line of a service's route table. `path` has parameters in braces: `/v1/feedbacks/{feedbackId}`. Logs
/// show the value of a parameter only if its name ends in `Id`, is not `userId`, and the value is a UUID:
/// name so what we have made up ourselves, and nothing else (`shown_path`).
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
    std::size_t index = 0; ///< position in the table, for metrics
};

/// Finds the endpoint for a method and path. Static segments win over parameters; matching costs one hash
/// look-up a segment and allocates only for parameters.
class Router {
public:
    /// Throws std::logic_error when two endpoints have the same method and path, or one does not begin with a
    /// slash.
    explicit Router(std::vector<Endpoint> endpoints);
    ~Router();
    Router(Router&&) noexcept;
    Router& operator=(Router&&) noexcept;

    struct Match {
        Endpoint const* endpoint = nullptr; ///< null: no such route, or no such method on it
        /// Methods the path has when it lacks the request's, for 405 (`GET, HEAD, POST`); empty: no such
        /// path.
        std::string allow;
        std::string_view pattern; ///< of a route with this path and any method; empty: there is none
    };

    /// Fills `request.params` on a match, percent-decoded. HEAD was made GET by the server before this is
    /// called. A path that is not valid percent-encoded UTF-8 matches nothing; an empty segment is no
    /// parameter.
    Match match(Request& request) const;

    /// In the order given, each with its body limit.
    std::span<Endpoint const> endpoints() const noexcept { return endpoints_; }

private:
    struct Node;
    std::vector<Endpoint> endpoints_;
    std::unique_ptr<Node> root_;
};

/// A request's path fit for logs: `pattern`, with the values of `params` that may be shown in place of their
/// names.
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
