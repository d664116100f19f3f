#pragma once

#include "core/text.hpp"
#include "events.hpp"
#include "world.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

/// Helpers for tests that read entitlements and features.
namespace reading {

namespace json = boost::json;

inline constexpr std::int64_t leeway = 3600; ///< the default of `renewalLeewaySeconds`

/// The id of a new product with these features.
inline std::string new_product(World const& world, std::string_view provider_product_id, json::array features,
    json::object const& more = {})
{
    auto const r = world.as_backend("demo").post("/v1/products",
        body(events::changed({{"providerProductId", provider_product_id}, {"name", "A product"},
                                 {"kind", "subscription"}, {"features", std::move(features)}},
            more)));
    REQUIRE(r.status == 201);
    return text(r.json(), "productId");
}

/// Changes settings of the tenant.
inline void set(World const& world, json::object const& settings)
{
    REQUIRE(world.as_backend("demo").patch("/v1/settings", body(settings)).status == 200);
}

/// Posts an event of the purchase provider, which must be applied.
inline void happens(World const& world, std::string_view type, json::object const& changes = {})
{
    INFO(type);
    REQUIRE(result_of(world.post_purchase(events::purchase(type, changes))) == "applied");
}

/// The response about a user's feature, or its error code.
inline std::string feature(World const& world, std::string const& name, std::string const& user = "ada",
    std::string const& tenant = "demo-sandbox")
{
    auto const r = world.as_backend(tenant).get(
        "/v1/users/" + core::percent_encode(user) + "/features/" + core::percent_encode(name));
    return r.status == 200 ? r.body : error_of(r);
}

/// The response about a feature that is granted until this time, or without end (`null`).
inline std::string granted(std::string const& until)
{
    return R"({"granted":true,"until":)" + (until == "null" ? until : '"' + until + '"') + "}";
}

inline constexpr auto not_granted = R"({"granted":false,"until":null})";

/// The entitlements that user `ada` had at this time.
inline json::array all_as_of(World const& world, std::int64_t seconds)
{
    auto const r = world.as_backend().get("/v1/users/ada/entitlements?at=" + events::rfc3339(seconds));
    REQUIRE(r.status == 200);
    return r.json().at("entitlements").as_array();
}

/// The only entitlement that user `ada` had at this time. Fails the test if the user had none or several.
inline json::object as_of(World const& world, std::int64_t seconds)
{
    auto const found = all_as_of(world, seconds);
    REQUIRE(found.size() == 1);
    return found[0].as_object();
}

} // namespace reading
