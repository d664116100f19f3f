#pragma once

#include "purchases_provider.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <string_view>
#include <utility>

/// Options of a World that sends its syncs to `provider`.
inline World::Options options_for(PurchasesProvider const& provider)
{
    return {.environment = {{"PURCHASES_API_URL", provider.url() + "/"}}};
}

/// Sets the tenant's key for the provider.
inline void set_api_key(World const& world, std::string const& tenant = "demo")
{
    auto const r = world.as_backend(tenant).patch("/v1/settings", R"({"purchasesApiKey":"sk_provider"})");
    REQUIRE(r.status == 200);
}

inline testing::HttpResponse sync(
    World const& world, std::string const& user = "ada", std::string const& tenant = "demo")
{
    return world.as_backend(tenant).post("/v1/sync/" + segment(user), "");
}

/// The response body that lists a user's entitlements.
inline std::string entitlements_of(
    World const& world, std::string const& user = "ada", std::string const& tenant = "demo")
{
    return world.as_backend(tenant).get("/v1/users/" + segment(user) + "/entitlements").body;
}

/// `providerProductId status` for each distinct pair in a list of entitlements, sorted, one per line.
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

/// The subscriptions of a document with one product.
inline boost::json::object one(std::string_view product, boost::json::object fields = {})
{
    return {{product, subscription(std::move(fields))}};
}

/// A tenant whose user ada has `pro` after a sync. `before` is ada's list of entitlements.
struct Synced {
    Synced()
    {
        set_api_key(world);
        provider.has("ada", one("pro"));
        REQUIRE(sync(world).status == 200);
        before = entitlements_of(world);
    }

    PurchasesProvider const provider;
    World const world{options_for(provider)};
    std::string before;
};
