#pragma once

#include "core/identity.hpp"
#include "http/message.hpp"
#include "testing/http_client.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace testing {

/// What a route works on, which decides what a caller from elsewhere is to be told.
enum class Reach {
    object,     ///< names something of one scope or person: 404 to every other, as if it had never been
    scope,      ///< works on the scope it is called in: goes well in another, and shows nothing of ours
    own,        ///< works on the caller's own account
    tenantless, ///< the operator's
    open,       ///< takes no credential; what it takes instead has tests of its own
};

/// How the isolation test of a service calls one of its routes.
struct RouteProbe {
    http::Method method;
    std::string_view path; ///< as in the service's table of routes
    Reach reach;
    std::string_view body = {}; ///< "": none
};

/// Whether every route of a service's table has its probe, and no probe lacks a route. For a static_assert.
template <class Probes, class Routes>
constexpr bool covers_every_route(Probes const& probes, Routes const& routes)
{
    return probes.size() == routes.size() && std::ranges::all_of(routes, [&](auto const& route) {
        return std::ranges::any_of(probes, [&](RouteProbe const& probe) {
            return probe.method == route.method && probe.path == route.path;
        });
    });
}

/// Values of path parameters by their names.
using PathValues = std::map<std::string, std::string>;

/// Calls the route with the parameters of its path filled in.
HttpResponse call(HttpClient& client, RouteProbe const& probe, PathValues const& values);

/// Everybody who may not use what belongs to one scope, "ours", called on for every route: nothing of it is
/// shown to them and nothing of it is changed.
///
///     static_assert(testing::covers_every_route(probes, feedback::routes));
///     ...
///     CHECK(isolation.breaches(probes, feedback::routes) == "");
struct Isolation {
    struct Caller {
        std::string who;
        HttpClient client;
        core::Access kind = core::Access::anonymous; ///< of the credential where it is good
    };

    PathValues ours;                  ///< what the paths name of our scope
    PathValues absent;                ///< the same of nothing that ever was
    std::vector<std::string> secrets; ///< parts of our values that no answer to anybody else has
    /// They call our scope with what is no credential there: 401, or 403 to a good one of the operator's
    /// routes.
    std::vector<Caller> strangers;
    /// They call our scope with a credential of it: 403 where the route does not take their kind.
    std::vector<Caller> residents;
    /// They call where their credential is good, for what is ours: see Reach.
    std::vector<Caller> neighbours;
    /// A fingerprint of everything our scope has.
    std::function<std::string()> rows;
    /// Takes away what a neighbour may well make in our scope: another user of it, say.
    std::function<void()> tidy = [] {};

    /// Calls every route but the open ones, and says, line by line, what should not have happened.
    template <class Routes> std::string breaches(std::span<RouteProbe const> probes, Routes const& routes)
    {
        std::string found;
        auto before = rows();
        for (auto const& probe : probes) {
            if (probe.reach == Reach::open) continue;
            auto const route = std::ranges::find_if(
                routes, [&](auto const& r) { return r.method == probe.method && r.path == probe.path; });
            found += breaches_of(probe, route->access, before);
        }
        return found;
    }

private:
    /// `before`: the rows as they were, and afterwards as they are.
    std::string breaches_of(RouteProbe const& probe, core::Access access, std::string& before);
    std::string by_stranger(Caller& stranger, RouteProbe const& probe) const;
    std::string by_neighbour(Caller& neighbour, RouteProbe const& probe) const;
    bool shows_a_secret(HttpResponse const& response) const;
};

} // namespace testing
