#include "support/isolation.hpp"

#include "support/json.hpp"

#include <optional>
#include <utility>

namespace testing {

namespace {

std::string breach(std::string const& who, RouteProbe const& probe, std::string const& what)
{
    return std::string(http::to_string(probe.method)) + ' ' + std::string(probe.path) + ", " + who + ": " +
           what + '\n';
}

std::string breach(
    std::string const& who, RouteProbe const& probe, char const* expected, HttpResponse const& got)
{
    return breach(who, probe, std::string(expected) + ", not " + std::to_string(got.status) + ' ' + got.body);
}

} // namespace

HttpResponse call(HttpClient& client, RouteProbe const& probe, PathValues const& values)
{
    std::string path(probe.path);
    for (auto const& [name, value] : values) {
        if (auto const at = path.find("{" + name + "}"); at != std::string::npos)
            path.replace(at, name.size() + 2, value);
    }
    if (!probe.query.empty()) path.append("?").append(probe.query);
    std::string const method(http::to_string(probe.method));
    if (probe.body.empty()) return client.request(method, path);
    return client.request(
        method, path, {{"Content-Type", std::string(probe.content_type)}}, std::string(probe.body));
}

std::string Isolation::breaches_of(RouteProbe const& probe, core::Access access, std::string& before)
{
    std::string found;
    for (auto& stranger : strangers)
        found += by_stranger(stranger, probe);
    for (auto& resident : residents) {
        if (core::allows(access, resident.kind)) continue;
        bool const erases = core::allows(access | resident.kind, core::Access::erasure);
        if (auto const r = call(resident.client, probe, ours); r.status != (erases ? 401 : 403))
            found += breach(resident.who, probe, erases ? "401" : "403", r);
    }
    for (auto& neighbour : neighbours)
        if (core::allows(access, neighbour.kind)) found += by_neighbour(neighbour, probe);
    tidy();
    if (auto now = rows(); now != before) {
        found += breach("one of the callers", probe, "data of our scope was changed");
        before = std::move(now);
    }
    return found;
}

std::string Isolation::by_stranger(Caller& stranger, RouteProbe const& probe) const
{
    auto const r = call(stranger.client, probe, ours);
    if (shows_a_secret(r)) return breach(stranger.who, probe, "no data of ours", r);
    if (probe.reach == Reach::tenantless && r.status == 403) return {};
    if (r.status != 401) return breach(stranger.who, probe, "401", r);
    if (!r.header("www-authenticate").starts_with("Bearer"))
        return breach(stranger.who, probe, "no challenge in WWW-Authenticate");
    return {};
}

std::string Isolation::by_neighbour(Caller& neighbour, RouteProbe const& probe) const
{
    if (probe.reach != Reach::object && probe.reach != Reach::scope && probe.reach != Reach::person)
        return {};
    auto const r = call(neighbour.client, probe, ours);
    if (shows_a_secret(r)) return breach(neighbour.who, probe, "no data of ours", r);
    if (probe.reach == Reach::scope || (probe.reach == Reach::person && r.status != 404))
        return r.status / 100 == 2 ? std::string() : breach(neighbour.who, probe, "2xx", r);
    if (r.status != 404) return breach(neighbour.who, probe, "404", r);
    auto const never = call(neighbour.client, probe, absent);
    if (never.status != 404 || without_request_id(never) != without_request_id(r))
        return breach(
            neighbour.who, probe, "the response differs from that for an object that never existed");
    return {};
}

bool Isolation::shows_a_secret(HttpResponse const& response) const
{
    return std::ranges::any_of(
        secrets, [&](auto const& secret) { return response.body.find(secret) != std::string::npos; });
}

} // namespace testing
