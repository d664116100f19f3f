#pragma once

#include "core/caller.hpp"
#include "http/message.hpp"
#include "support/http_client.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace testing {

/// A PNG image of one pixel.
inline constexpr std::string_view gray_pixel{
    "\211\120\116\107\015\012\032\012\000\000\000\015\111\110\104\122\000\000\000\001"
    "\000\000\000\001\010\000\000\000\000\072\176\233\125\000\000\000\012\111\104\101"
    "\124\170\332\143\150\000\000\000\202\000\201\332\105\010\073\000\000\000\000\111"
    "\105\116\104\256\102\140\202",
    67};

/// The data that a route reads or changes. It determines the expected response to callers of other scopes.
enum class Reach {
    object,     ///< an object of one scope or person: 404 for all others, as for an object that never existed
    scope,      ///< the scope of the call: the call succeeds in another scope, and shows no data of our scope
    person,     ///< data of one user: 2xx without data of ours in another scope, 404 for another user
    own,        ///< data of the caller: neighbours do not call the route, other tests check their access
    tenantless, ///< for the operator only
    open,       ///< needs no credential; the route's own tests check its access rules
};

/// How the isolation test of a service calls one of the service's routes.
struct RouteProbe {
    http::Method method;
    std::string_view path; ///< as in the service's route table
    Reach reach;
    std::string_view body = {}; ///< "" means no body
    std::string_view content_type = "application/json";
    std::string_view query = {}; ///< the query of the URL, such as `title=x`
};

/// The probes of the routes that services share: those of service/routes.hpp, blobs/routes.hpp and
/// libs/docs/routes.hpp.
inline constexpr auto attachment_probes = std::to_array<RouteProbe>({
    {http::Method::post, "/v1/attachments/presign", Reach::scope,
        R"({"filename":"a.txt","contentType":"text/plain","sizeBytes":1})"},
    {http::Method::get, "/v1/attachments/{attachmentId}", Reach::object},
    {http::Method::put, "/uploads/{token}", Reach::open, "hello"},
    {http::Method::get, "/downloads/{token}", Reach::open},
});

inline constexpr auto audit_probes =
    std::to_array<RouteProbe>({{http::Method::get, "/v1/audit", Reach::scope}});

/// `{userId}`: a user with data in our scope.
inline constexpr auto user_probes = std::to_array<RouteProbe>({
    {http::Method::del, "/v1/users/{userId}", Reach::person},
    {http::Method::get, "/v1/users/{userId}/export", Reach::person},
    {http::Method::post, "/v1/erasures", Reach::own},
});

inline constexpr auto webhook_probes = std::to_array<RouteProbe>({
    {http::Method::post, "/v1/webhooks", Reach::scope, R"({"url":"https://example.com/"})"},
    {http::Method::get, "/v1/webhooks", Reach::scope},
    {http::Method::get, "/v1/webhooks/{webhookId}", Reach::object},
    {http::Method::patch, "/v1/webhooks/{webhookId}", Reach::object, R"({"enabled":false})"},
    {http::Method::del, "/v1/webhooks/{webhookId}", Reach::object},
    {http::Method::post, "/v1/webhooks/{webhookId}/rotate-secret", Reach::object},
    {http::Method::get, "/v1/webhooks/{webhookId}/deliveries", Reach::object},
    {http::Method::get, "/v1/webhooks/{webhookId}/deliveries/{deliveryId}", Reach::object},
    {http::Method::post, "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver", Reach::object},
    {http::Method::post, "/v1/webhooks/{webhookId}/test", Reach::object},
});

/// `mint`: the body of `POST /v1/keys`. These probes revoke the keys of other scopes, so call them after all
/// probes that use keys.
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
    {http::Method::get, "/", Reach::open},
    {http::Method::get, "/docs/tutorial", Reach::open},
    {http::Method::get, "/docs/pages.css", Reach::open},
    {http::Method::get, "/docs", Reach::open},
    {http::Method::get, "/docs/openapi.json", Reach::open},
    {http::Method::get, "/docs/redoc.js", Reach::open},
});

/// Whether every route of a service's table has a probe, and every probe has a route. For a static_assert.
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

/// Values of path parameters by name.
using PathValues = std::map<std::string, std::string>;

/// Calls the route, with the parameters of its path replaced by `values`.
HttpResponse call(HttpClient& client, RouteProbe const& probe, PathValues const& values);

/// Calls every route of a service with the credentials of callers that have no access to one scope, called
/// "ours". Checks that these calls show no data of our scope and change nothing in it.
///
///     static_assert(testing::covers_every_route(probes, feedback::routes));
///     ...
///     CHECK(isolation.breaches(probes, feedback::routes) == "");
struct Isolation {
    struct Caller {
        std::string who;
        HttpClient client;
        core::Access kind = core::Access::anonymous; ///< kind of the credential in its own scope
    };

    PathValues ours;                  ///< path parameters that name objects of our scope
    PathValues absent;                ///< path parameters that name objects that never existed
    std::vector<std::string> secrets; ///< parts of our values that no response to other callers may contain
    /// Callers that call our scope with credentials that are not valid there. Expected: 401. On the
    /// operator's routes, 403 for a credential that is valid in another scope.
    std::vector<Caller> strangers;
    /// Callers that call our scope with credentials of our scope. Expected: 403 if the route does not allow
    /// their kind of credential. Erasure tokens and their route get 401 instead.
    std::vector<Caller> residents;
    /// Callers that call their own scope, where their credential is valid, and name objects of our scope.
    /// Expected: see Reach.
    std::vector<Caller> neighbours;
    /// Returns a fingerprint of all data of our scope.
    std::function<std::string()> rows;
    /// Removes data that other callers are allowed to create in our scope, for example another user.
    std::function<void()> tidy = [] {};

    /// Calls every route except the open ones, and returns the failures, one per line.
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
    /// `before` contains the rows before the calls. If the calls have changed rows, it is set to the rows
    /// after them.
    std::string breaches_of(RouteProbe const& probe, core::Access access, std::string& before);
    std::string by_stranger(Caller& stranger, RouteProbe const& probe) const;
    std::string by_neighbour(Caller& neighbour, RouteProbe const& probe) const;
    bool shows_a_secret(HttpResponse const& response) const;
};

/// Erases the tenant `demo` at once. Returns the failures, one per line: each scope of `demo` that still has
/// data, and each scope of another tenant whose data has changed. `rows` returns a fingerprint of all data of
/// the scope with the given id.
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
        if (rows(scope_id) != empty) found += "data of scope " + scope_id + " was left\n";
    if (rows(other) != before) found += "data of another tenant was changed\n";
    return found;
}

} // namespace testing
