#pragma once

#include "core/identity.hpp"
#include "http/message.hpp"
#include "openapi.hpp"
#include "testing/http_client.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <optional>
#include <regex>
#include <set>
#include <string>

/// The contract of the service under test, which its tests name.
OpenApi const& contract();

/// `GET /v1/feedbacks/{feedbackId}`
template <class Route> std::string name_of(Route const& route)
{
    return std::string(http::to_string(route.method)) + " " + std::string(route.path);
}

/// The contract describes every route of the table and no other.
template <class Routes> void check_described(Routes const& routes)
{
    std::set<std::string> documented, served;
    for (auto const& [name, operation] : contract().operations())
        documented.insert(name);
    for (auto const& route : routes)
        served.insert(name_of(route));
    CHECK(documented == served);
}

/// It says of each who may call it, and with which parameters.
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

/// Calls operation `name` at `path` and checks the answer against what the contract says of it.
testing::HttpResponse checked(testing::HttpClient& client, std::string const& name, std::string const& path,
    std::optional<std::string> const& body = std::nullopt, testing::HttpClient::Headers const& headers = {});

/// The contract's own example of the operation's body.
std::string example_of(std::string const& name);

/// An operation whose path has no parameters, with the contract's own example where there is one.
testing::HttpResponse example(testing::HttpClient& client, std::string const& name);

/// Every operation on webhooks, called by `backend`. `happen` makes something that all of them hear of.
void check_webhooks(testing::HttpClient& backend, std::function<void()> const& happen);

/// Every operation on API keys that all services have, called by `manager`; `backend` may not.
void check_keys(testing::HttpClient& manager, testing::HttpClient& backend);

/// Every operation on tenants that all services have, called by the operator.
void check_tenants(testing::HttpClient& master);

/// The API reference: the page, and the contract as it is served, which says what that of proto/ says.
void check_reference(testing::HttpClient& anyone);
