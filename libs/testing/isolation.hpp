#pragma once

#include "core/identity.hpp"
#include "http/message.hpp"
#include "testing/http_client.hpp"

#include <algorithm>
#include <array>
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

/// The probes of what services have in common: those of service/routes.hpp,
/// blobs/routes.hpp and docs/routes.hpp.
inline constexpr auto attachment_probes = std::to_array<RouteProbe>({
    {http::Method::post, "/v1/attachments/presign", Reach::scope,
        R"({"filename":"a.txt","contentType":"text/plain","sizeBytes":1})"},
    {http::Method::get, "/v1/attachments/{attachmentId}", Reach::object},
    {http::Method::put, "/uploads/{token}", Reach::open, "hello"},
    {http::Method::get, "/downloads/{token}", Reach::open},
});

inline constexpr auto audit_probes =
    std::to_array<RouteProbe>({{http::Method::get, "/v1/audit", Reach::scope}});

inline constexpr auto webhook_probes = std::to_array<RouteProbe>({
    {http::Method::post, "/v1/webhooks", Reach::scope, R"({"url":"https://example.com/"})"},
    {http::Method::get, "/v1/webhooks", Reach::scope},
    {http::Method::get, "/v1/webhooks/{webhookId}", Reach::object},
    {http::Method::patch, "/v1/webhooks/{webhookId}", Reach::object, R"({"enabled":false})"},
    {http::Method::del, "/v1/webhooks/{webhookId}", Reach::object},
    {http::Method::post, "/v1/webhooks/{webhookId}/rotate-secret", Reach::object},
    {http::Method::get, "/v1/webhooks/{webhookId}/deliveries", Reach::object},
    {http::Method::post, "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver", Reach::object},
});

/// `mint`: the body of `POST /v1/keys`. They end the keys of neighbours, so they come after what keys may
/// call.
constexpr std::array<RouteProbe, 4> key_probes(std::string_view mint = R"({"environment":"sandbox"})")
{
    return {{
        {http::Method::post, "/v1/keys", Reach::scope, mint},
        {http::Method::get, "/v1/keys", Reach::scope},
        {http::Method::post, "/v1/keys/{environment}/rotate", Reach::scope},
        {http::Method::del, "/v1/keys/{prefix}", Reach::object},
    }};
}

inline constexpr auto tenant_probes = std::to_array<RouteProbe>({
    {http::Method::put, "/v1/admin/tenants/{slug}", Reach::tenantless,
        R"({"displayName":"x","status":"suspended"})"},
    {http::Method::get, "/v1/admin/tenants", Reach::tenantless},
    {http::Method::get, "/v1/admin/tenants/{slug}", Reach::tenantless},
    {http::Method::del, "/v1/admin/tenants/{slug}", Reach::tenantless},
});

inline constexpr auto reference_probes = std::to_array<RouteProbe>({
    {http::Method::get, "/docs", Reach::open},
    {http::Method::get, "/docs/openapi.json", Reach::open},
    {http::Method::get, "/docs/redoc.js", Reach::open},
});

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

/// Whether `listed` are exactly the routes of a service's table that refuse credentials of the sandbox
/// (http::RouteOptions::production_only). For a static_assert.
template <class Routes>
constexpr bool are_production_only(std::span<RouteProbe const> listed, Routes const& routes)
{
    return std::ranges::all_of(routes, [&](auto const& route) {
        return route.options.production_only == std::ranges::any_of(listed, [&](RouteProbe const& probe) {
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

/// Purges tenant demo, and says, line by line, what it left and what it took from others. `rows`: a
/// fingerprint of everything that the scope with that id has.
template <class World>
std::string breaches_of_purge(
    World const& world, std::function<std::string(std::string const& scope_id)> const& rows)
{
    std::string found;
    auto const ours = {world.scope_id("demo-sandbox"), world.scope_id("demo")};
    auto const other = world.scope_id("other-sandbox");
    auto const before = rows(other), empty = rows("-1");
    auto const purged = world.as_master().del("/v1/admin/tenants/demo?purge=now");
    if (purged.body != R"({"deleted":true})") found += "not purged: " + purged.body + '\n';
    for (auto const& scope_id : ours)
        if (rows(scope_id) != empty) found += "something of scope " + scope_id + " was left\n";
    if (rows(other) != before) found += "something of another tenant's was changed\n";
    return found;
}

} // namespace testing
