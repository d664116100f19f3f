#pragma once

#include "app.hpp"
#include "testing/eventually.hpp"
#include "testing/fake_clock.hpp"
#include "testing/http_client.hpp"
#include "testing/json.hpp"
#include "testing/keyed_world.hpp"

#include <boost/json.hpp>

#include <chrono>
#include <map>
#include <string>

using namespace std::chrono_literals;
using testing::all_items, testing::body, testing::error_of, testing::eventually, testing::faults_of,
    testing::require, testing::text;

/// What tenant `demo` agreed on with the providers.
inline constexpr char const* purchases_secret = "Bearer purchases-secret";
inline constexpr char const* signing_secret = "whsec_payments-secret";

/// The whole billing service in this process, and an issuer of user tokens. Its clock stands still at
/// 2026-01-01T00:00:00Z until the test moves it; times of writing are the database's.
class World : public testing::KeyedWorld<testing::FakeClock> {
public:
    struct Options {
        /// Configuration on top of the world's own, by the names of the variables: `PURCHASES_API_URL`, ...
        std::map<std::string, std::string> environment = {};
        /// Whether tenants have the secrets above; else they have no settings at all.
        bool configured = true;
    };

    World() : World(Options()) {}

    explicit World(Options const& options);

    /// Posts what a provider sends, with its credential, as of the world's time.
    testing::HttpResponse post_purchase(
        std::string const& body, std::string const& tenant = "demo-sandbox") const;
    testing::HttpResponse post_payment(
        std::string const& body, std::string const& tenant = "demo-sandbox") const;
    testing::HttpResponse post_purchase(
        boost::json::object const& event, std::string const& tenant = "demo-sandbox") const;
    testing::HttpResponse post_payment(
        boost::json::object const& event, std::string const& tenant = "demo-sandbox") const;

    /// What a user has, newest first.
    boost::json::array entitlements(
        std::string const& user_id = "ada", std::string const& tenant = "demo-sandbox") const;

    /// The one that a user has of a product; throws when there are none or several.
    boost::json::object entitlement(std::string const& product, std::string const& user_id = "ada",
        std::string const& tenant = "demo-sandbox") const;
};

/// What became of an event: `applied`, `skipped no_user`, `400 VALIDATION_ERROR`, ...
std::string result_of(testing::HttpResponse const& response);

/// A signature header as the payment provider makes it: `t=…,v1=…`.
std::string signature(std::string const& body, std::string const& secret, core::Time at);
