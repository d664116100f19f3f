#pragma once

#include "platform.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <string_view>
#include <utility>

/// A world whose tenants ask the platform.
inline World::Options asking(Platform const& platform)
{
    return {.environment = {{"PURCHASES_API_URL", platform.url() + "/"}}};
}

/// From now on the tenant does.
inline void give_key(World const& world, std::string const& tenant = "demo")
{
    auto const r = world.as_backend(tenant).patch("/v1/settings", R"({"purchasesApiKey":"sk_platform"})");
    REQUIRE(r.status == 200);
}

inline testing::HttpResponse sync(
    World const& world, std::string const& user = "ada", std::string const& tenant = "demo")
{
    return world.as_backend(tenant).post("/v1/sync/" + segment(user), "");
}

/// The answer that lists what a user has, as it came.
inline std::string entitlements_of(
    World const& world, std::string const& user = "ada", std::string const& tenant = "demo")
{
    return world.as_backend(tenant).get("/v1/users/" + segment(user) + "/entitlements").body;
}

/// `providerProductId status`, a line for each pair there is in a list of entitlements, sorted.
inline std::string lines(boost::json::value const& entitlements)
{
    std::set<std::string> found;
    for (auto const& e : entitlements.as_array())
        found.insert(text(e, "providerProductId") + ' ' + text(e, "status"));
    std::string all;
    for (auto const& line : found)
        all += line + '\n';
    return all;
}

/// The subscriptions of a document: just one.
inline boost::json::object one(std::string_view product, boost::json::object fields = {})
{
    return {{product, subscription(std::move(fields))}};
}

/// A tenant whose user ada has bought `pro`, as a sync found; `before` is what she has since.
struct Synced {
    Synced()
    {
        give_key(world);
        platform.has("ada", one("pro"));
        REQUIRE(sync(world).status == 200);
        before = entitlements_of(world);
    }

    Platform const platform;
    World const world{asking(platform)};
    std::string before;
};
