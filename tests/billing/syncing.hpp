#pragma once

#include "events.hpp"
#include "payments_provider.hpp"
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

inline World::Options options_for(PaymentsProvider const& provider)
{
    return {.environment = {{"PAYMENTS_API_URL", provider.url() + "/"}}};
}

inline World::Options options_for(PurchasesProvider const& purchases, PaymentsProvider const& payments)
{
    return {.environment = {
                {"PURCHASES_API_URL", purchases.url() + "/"}, {"PAYMENTS_API_URL", payments.url() + "/"}}};
}

/// Sets the tenant's key for the purchase provider.
inline void set_api_key(World const& world, std::string const& tenant = "demo")
{
    auto const r = world.as_backend(tenant).patch("/v1/settings", R"({"purchasesApiKey":"sk_provider"})");
    REQUIRE(r.status == 200);
}

/// Sets the tenant's key for the payments provider. The prefix of the key selects live mode or test mode.
inline void set_payments_key(
    World const& world, std::string const& key = "sk_test_provider", std::string const& tenant = "demo")
{
    require(200, world.as_backend(tenant).patch("/v1/settings", body({{"paymentsApiKey", key}})));
}

inline testing::HttpResponse sync(
    World const& world, std::string const& user = "ada", std::string const& tenant = "demo")
{
    return world.as_backend(tenant).post("/v1/sync/" + segment(user), "");
}

/// A sync with one provider: `purchases` or `payments`.
inline testing::HttpResponse sync_with(World const& world, std::string const& source,
    std::string const& user = "ada", std::string const& tenant = "demo")
{
    return world.as_backend(tenant).post("/v1/sync/" + segment(user) + "?source=" + source, "");
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

/// As the other function, for the entitlements of a user.
inline std::string lines_of(
    World const& world, std::string const& user = "ada", std::string const& tenant = "demo")
{
    return lines(world.entitlements(user, tenant));
}

/// The subscriptions of a document with one product.
inline boost::json::object one(std::string_view product, boost::json::object fields = {})
{
    return {{product, subscription(std::move(fields))}};
}

/// A subscription of the payments provider. It belongs to ada and has the price `price_pro`. With the same
/// period and price as `events::subscription({events::item("price_pro")})`.
inline boost::json::object card_subscription(std::string_view id, boost::json::object const& changes = {})
{
    boost::json::object const price{{"id", "price_pro"}, {"currency", "nzd"}};
    return events::changed(
        {{"id", id}, {"created", events::s(0)}, {"metadata", boost::json::object{{"userId", "ada"}}},
            {"items", boost::json::array{boost::json::object{{"price", price}}}}},
        changes);
}

/// The number of archived events of the type SYNC in an environment.
inline std::string archived_syncs(World const& world, std::string const& tenant = "demo")
{
    return world.postgres.query("SELECT count(*) FROM events WHERE provider = 'internal' AND type = 'SYNC' "
                                "AND scope_id = " +
                                world.scope_id(tenant));
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
