#include "world.hpp"

#include "core/hex.hpp"
#include "core/text.hpp"
#include "crypto/hmac.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

World::World(Options const& options) : KeyedWorld(billing::definition())
{
    testing::Variables environment = options.environment;
    // The discard port, on which no server listens.
    for (auto const* const name : {"PURCHASES_API_URL", "PAYMENTS_API_URL"})
        environment.try_emplace(name, "http://127.0.0.1:9");
    begin(std::move(environment));
    if (!options.configured) return;
    for (std::string const slug : {"demo", "other"})
        require(200, as_master(slug).patch("/v1/settings",
                         body({{"purchasesSecret", purchases_secret},
                             {"paymentsSigningSecrets", boost::json::array{signing_secret}}})));
    // The tenant cache is notified of the settings with a short delay.
    for (std::string const slug : {"demo", "other"})
        REQUIRE(eventually(
            [&] { return post_purchase(R"({"event":{"id":"ready","type":"TEST"}})", slug).status == 200; }));
    postgres.query("DELETE FROM events; DELETE FROM event_claims");
}

testing::HttpResponse World::post_purchase(std::string const& body, std::string const& tenant) const
{
    return client(tenant).post("/webhooks/purchases", body, {{"Authorization", purchases_secret}});
}

testing::HttpResponse World::post_payment(std::string const& body, std::string const& tenant) const
{
    return client(tenant).post(
        "/webhooks/payments", body, {{"Stripe-Signature", signature(body, signing_secret, clock.now())}});
}

testing::HttpResponse World::post_purchase(boost::json::object const& event, std::string const& tenant) const
{
    return post_purchase(body(event), tenant);
}

testing::HttpResponse World::post_payment(boost::json::object const& event, std::string const& tenant) const
{
    return post_payment(body(event), tenant);
}

boost::json::array World::entitlements(std::string const& user_id, std::string const& tenant) const
{
    auto const path = "/v1/users/" + core::percent_encode(user_id) + "/entitlements";
    return require(200, as_backend(tenant).get(path)).json().at("entitlements").as_array();
}

boost::json::object World::entitlement(
    std::string const& product, std::string const& user_id, std::string const& tenant) const
{
    boost::json::array found;
    for (auto const& entitlement : entitlements(user_id, tenant))
        if (text(entitlement, "providerProductId") == product) found.push_back(entitlement);
    if (found.size() != 1)
        throw std::runtime_error(
            user_id + " has " + std::to_string(found.size()) + " entitlements for the product " + product);
    return found.front().as_object();
}

std::string result_of(testing::HttpResponse const& response)
{
    if (response.status != 200) return std::to_string(response.status) + ' ' + error_of(response);
    auto const answer = response.json();
    if (answer.at("received") != true) return response.body;
    bool const has_reason = answer.as_object().contains("reason");
    return text(answer, "result") + (has_reason ? ' ' + text(answer, "reason") : "");
}

std::string signature(std::string const& body, std::string const& secret, core::Time at)
{
    auto const seconds =
        std::to_string(std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count());
    auto const digest = crypto::hmac_sha256(secret, seconds + '.' + body);
    return "t=" + seconds + ",v1=" + core::hex::encode(crypto::view(digest));
}
