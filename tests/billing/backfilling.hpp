#pragma once

#include "events.hpp"
#include "payments_provider.hpp"
#include "world.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

/// Helpers of the tests of backfills.
namespace backfilling {

namespace json = boost::json;
using Cursors = std::vector<std::string>;

/// A tenant with a key for the provider's test mode, whose subscriptions belong to the sandbox.
struct Fixture {
    Fixture() { set_key("demo", "sk_test_provider"); }

    void set_key(std::string const& tenant, json::value const& key) const
    {
        require(200, world.as_backend(tenant).patch("/v1/settings", body({{"paymentsApiKey", key}})));
    }

    testing::HttpResponse post(json::object const& changes = {}, std::string const& tenant = "demo") const
    {
        return world.as_backend(tenant).post(
            "/v1/backfills", body(events::changed({{"source", "payments"}}, changes)));
    }

    /// Creates a backfill and returns its id.
    std::string start(json::object const& changes = {}, std::string const& tenant = "demo") const
    {
        return text(require(202, post(changes, tenant)).json(), "backfillId");
    }

    json::object get(std::string const& id, std::string const& tenant = "demo") const
    {
        return require(200, world.as_master(tenant).get("/v1/backfills/" + id)).json().as_object();
    }

    /// Waits for the end of the backfill.
    json::object ended(std::string const& id, std::string const& tenant = "demo") const
    {
        REQUIRE(eventually([&] { return !get(id, tenant).at("completedAt").is_null(); }));
        return get(id, tenant);
    }

    /// Creates a backfill and waits for its end. Returns `status processed changed failed`.
    std::string run(json::object const& changes = {}, std::string const& tenant = "demo") const
    {
        return summary(ended(start(changes, tenant), tenant));
    }

    static std::string summary(json::object const& backfill)
    {
        auto line = text(backfill, "status");
        for (auto const* name : {"processed", "changed", "failed"})
            line += ' ' + json::serialize(backfill.at(name));
        return line;
    }

    /// Waits until `lastError` contains `part`, and returns the backfill.
    json::object waits_for(std::string const& id, std::string const& part) const
    {
        auto const has_error = [&] { return text(get(id), "lastError").find(part) != std::string::npos; };
        CAPTURE(part);
        REQUIRE(eventually(has_error));
        return get(id);
    }

    /// `starting_after` of each requested page, "" for the first one.
    Cursors cursors() const
    {
        Cursors found;
        for (auto const& request : provider.seen()) {
            auto const& query = request.at("query").as_object();
            found.push_back(query.contains("starting_after") ? text(query, "starting_after") : "");
        }
        return found;
    }

    /// The number of rows of a scope. `from`: a table, and a condition.
    std::string count(std::string const& from, std::string const& tenant = "demo-sandbox") const
    {
        return world.postgres.query(
            "SELECT count(*) FROM " + from + " AND scope_id = " + world.scope_id(tenant));
    }

    PaymentsProvider const provider;
    World world{{.environment = {{"PAYMENTS_API_URL", provider.url()}}}};
};

/// A subscription of the provider, with a period of a month from the start time.
inline json::object subscription(std::string_view id, std::string_view user, json::object const& changes = {})
{
    return events::changed(
        {{"id", id}, {"created", events::s(0)}, {"metadata", json::object{{"userId", user}}},
            {"items", json::array{json::object{{"price", "price_pro"}}}}},
        changes);
}

/// The failure of one request that the client does not repeat at once.
inline json::object refusal(unsigned status, std::string const& retry_after = "600")
{
    return {{"status", status}, {"headers", json::object{{"retry-after", retry_after}}},
        {"error", json::object{{"message", "marker of the provider"}}}};
}

/// Lets one request succeed, before the failures that follow it in the list.
inline json::object const success{{"times", 1}};

/// For Fixture::count.
inline constexpr auto archived_syncs = "events WHERE provider = 'internal' AND type = 'SYNC'";
inline constexpr auto stored_subscriptions = "payment_subscriptions WHERE true";

} // namespace backfilling
