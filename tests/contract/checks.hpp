#pragma once

#include "core/caller.hpp"
#include "http/message.hpp"
#include "openapi.hpp"
#include "support/http_client.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <optional>
#include <regex>
#include <set>
#include <string>

/// The contract of the service under test. Each test program defines it.
OpenApi const& contract();

/// The name of a route's operation: `GET /v1/feedbacks/{feedbackId}`.
template <class Route> std::string name_of(Route const& route)
{
    return std::string(http::to_string(route.method)) + " " + std::string(route.path);
}

/// Checks that the contract describes exactly the routes of the table.
template <class Routes> void check_described(Routes const& routes)
{
    std::set<std::string> documented, served;
    for (auto const& [name, operation] : contract().operations())
        documented.insert(name);
    for (auto const& route : routes)
        served.insert(name_of(route));
    CHECK(documented == served);
}

/// Checks that the contract names the callers and parameters of each route, and has an example of its request
/// body.
template <class Routes> void check_operations(Routes const& routes)
{
    std::set<std::string> ids;
    for (auto const& route : routes) {
        INFO(name_of(route));
        auto const& operation = contract().operations().at(name_of(route));
        CHECK(ids.insert(operation.id).second);
        CHECK_FALSE(operation.summary.empty());
        for (auto const kind : {core::Access::key, core::Access::owner, core::Access::master})
            CHECK(core::allows(operation.access, kind) == core::allows(route.access, kind));
        CHECK(operation.idempotency_key == route.options.idempotent);
        std::set<std::string> in_path;
        std::string const path(route.path);
        std::regex const parameter(R"(\{(\w+)\})");
        for (std::sregex_iterator it(path.begin(), path.end(), parameter), end; it != end; ++it)
            in_path.insert((*it)[1]);
        CHECK(operation.path_parameters == in_path);
        CHECK(operation.responses.contains("default"));
        if (!operation.request_schema.is_null()) CHECK(operation.request_example);
    }
}

/// Calls operation `name` at `path` and checks the response against the contract.
testing::HttpResponse checked(testing::HttpClient& client, std::string const& name, std::string const& path,
    std::optional<std::string> const& body = std::nullopt, testing::HttpClient::Headers const& headers = {});

/// The contract's example of the operation's request body.
std::string example_of(std::string const& name);

/// Calls an operation whose path has no parameters, with the example of its body if it has one.
testing::HttpResponse example(testing::HttpClient& client, std::string const& name);

/// Calls every operation on webhooks as `backend`. `happen` causes an event.
void check_webhooks(testing::HttpClient& backend, std::function<void()> const& happen);

/// Calls every operation on API keys that services share, as `manager`. `backend` is refused.
void check_keys(testing::HttpClient& manager, testing::HttpClient& backend);

/// Calls every operation on tenants as the operator, `master`.
void check_tenants(testing::HttpClient& master);

/// Fetches the API reference and checks that the served contract equals that of proto/.
void check_reference(testing::HttpClient& anyone);
