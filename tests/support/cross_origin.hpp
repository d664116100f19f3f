#pragma once

#include "support/service_world.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace testing {

/// Checks for each environment that pages of a tenant's own auth host, such as the console, may call `method`
/// on `path` at the tenant's host although no setting allows it, and may read responses. Also checks that
/// pages of other tenants may not. Sends preflight requests as a browser does.
template <class Clock>
void check_pages_of_auth_host(
    ServiceWorld<Clock> const& world, std::string const& method, std::string const& path)
{
    auto const ask = [&](std::string const& tenant, std::string const& page_of) {
        return world.client(tenant).request("OPTIONS", path,
            {{"Origin", "http://" + page_of + ".auth.localhost:8102"},
                {"Access-Control-Request-Method", method},
                {"Access-Control-Request-Headers", "authorization"}});
    };
    auto const read = [&](std::string const& tenant, std::string const& page_of) {
        return world.as_master(tenant).get(
            "/v1/webhooks", {{"Origin", "http://" + page_of + ".auth.localhost:8102"}});
    };
    for (std::string const tenant : {"demo", "demo-sandbox"}) {
        CAPTURE(tenant);
        auto const own = ask(tenant, tenant);
        CHECK(own.status == 204);
        CHECK(own.header("access-control-allow-origin") == "http://" + tenant + ".auth.localhost:8102");
        CHECK_THAT(own.header("access-control-allow-methods"), Catch::Contains(method));
        CHECK_THAT(own.header("access-control-allow-headers"), Catch::Contains("Authorization"));
        auto const response = read(tenant, tenant);
        CHECK(response.status == 200);
        CHECK(response.header("access-control-allow-origin") == own.header("access-control-allow-origin"));
        CHECK_THAT(response.header("access-control-expose-headers"), Catch::Contains("X-Request-Id"));
        for (std::string const other : {"other", tenant == "demo" ? "demo-sandbox" : "demo"}) {
            CAPTURE(other);
            CHECK(ask(tenant, other).header("access-control-allow-origin").empty());
            CHECK(read(tenant, other).header("access-control-allow-origin").empty());
        }
    }
}

} // namespace testing
