#pragma once

#include "audit/audit.hpp"
#include "core/error.hpp"
#include "crypto/keyring.hpp"
#include "jobs/queue.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "outbound_webhooks/webhook_handlers.hpp"
#include "pg/database.hpp"
#include "support/database_clock.hpp"
#include "support/eventually.hpp"
#include "support/postgres.hpp"
#include "support/run_awaitable.hpp"
#include "tenancy/tenant_rows.hpp"

#include <boost/json.hpp>

#include <string>

namespace webhooks_test {

using namespace std::chrono_literals;
namespace json = boost::json;

constexpr std::string_view events[] = {"item.created", "item.updated", "item.deleted"};
constexpr char const* first_key = "one:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
constexpr char const* second_key = "two:Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA=";

using Handler = boost::asio::awaitable<http::Response> (*)(http::Request const&, outbound_webhooks::Api&);

/// The library with its own database and a clock that only the test moves.
struct Fixture {
    explicit Fixture(bool allow_private = true) : allow_private_addresses(allow_private)
    {
        testing::rule_database(clock, postgres);
    }

    bool allow_private_addresses;
    testing::Postgres postgres = testing::Postgres::migrated(
        {&tenancy::migrations(), &audit::migrations(), &jobs::migrations(), &outbound_webhooks::migrations()},
        "webhooks");
    pg::Database database{{.url = postgres.service_url(), .application_name = "test", .threads = 4}};
    testing::FakeClock clock;
    crypto::Keyring keyring = crypto::Keyring::parse(first_key);
    outbound_webhooks::Api api{
        database, clock, keyring, http_client::AddressPolicy(allow_private_addresses), events};
    std::string traceparent; ///< of the publishing requests
    core::Scope scope = core::Scope::of(core::TenantId{1}, core::Environment::production, "demo");

    /// Registers a tenant and returns its production scope.
    core::Scope tenant(std::string const& slug)
    {
        return suspend(slug, false).scope(core::Environment::production);
    }

    tenancy::TenantRecord suspend(std::string const& slug, bool suspended)
    {
        return database
            .transact_blocking(pg::Scopes(),
                [&](pg::Tx& tx) {
                    return tenancy::tenant_rows::upsert(tx, {slug, slug, suspended, {}}, clock.now());
                })
            .tenant;
    }

    /// Calls a handler like a request of `scope`. Path parameters are given by name.
    http::Response call(Handler handler, std::string const& body = {},
        std::vector<std::pair<std::string_view, std::string>> params = {}, std::string_view query = {},
        std::vector<http::Header> headers = {})
    {
        http::Request request;
        request.method = http::Method::post;
        request.query = query;
        request.headers = std::move(headers);
        request.headers.push_back({"Content-Type", "application/json"});
        request.body = body;
        request.params = std::move(params);
        request.context.request_id = "r1";
        request.context.scope = scope;
        request.context.caller = {.kind = core::Access::key, .id = "key:fbk_test", .role = "admin"};
        return testing::run_awaitable(handler(request, api));
    }

    /// Returns the error that a call throws. Fails the test if it throws none.
    core::Error error_of(Handler handler, std::string const& body = {},
        std::vector<std::pair<std::string_view, std::string>> params = {}, std::string_view query = {},
        std::vector<http::Header> headers = {})
    {
        try {
            call(handler, body, std::move(params), query, std::move(headers));
        } catch (core::Error const& e) {
            return e;
        }
        throw std::runtime_error("the call succeeded");
    }

    struct Created {
        std::string id;
        std::string secret;
    };

    Created create(std::string const& url, std::string const& more = {})
    {
        auto const response = call(outbound_webhooks::create_webhook, R"({"url":")" + url + '"' + more + '}');
        auto const body = json::parse(response.body).as_object();
        return {std::string(body.at("webhookId").as_string()), std::string(body.at("secret").as_string())};
    }

    json::object get(std::string const& id)
    {
        return json::parse(call(outbound_webhooks::get_webhook, {}, {{"webhookId", id}}).body).as_object();
    }

    json::array deliveries(std::string const& webhook_id, std::string_view query = {})
    {
        auto const response =
            call(outbound_webhooks::list_deliveries, {}, {{"webhookId", webhook_id}}, query);
        return json::parse(response.body).as_object().at("items").as_array();
    }

    std::size_t publish(std::string_view type = "item.created", std::string_view data = R"({"n":1})",
        std::string_view user_id = {}, std::string_view other_user_id = {})
    {
        http::Context const context{.trace_id = {}, .traceparent = traceparent, .scope = scope};
        return database.transact_blocking(scope, [&](pg::Tx& tx) {
            return outbound_webhooks::publish(tx, context,
                {.type = type,
                    .data_json = data,
                    .at = clock.now(),
                    .user_id = user_id,
                    .other_user_id = other_user_id});
        });
    }

    int count(std::string const& table_and_condition) const
    {
        return std::stoi(postgres.query("SELECT count(*) FROM " + table_and_condition));
    }
};

} // namespace webhooks_test
