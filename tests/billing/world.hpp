#pragma once

#include "app.hpp"
#include "support/eventually.hpp"
#include "support/fake_clock.hpp"
#include "support/http_client.hpp"
#include "support/json.hpp"
#include "support/keyed_world.hpp"

#include <boost/json.hpp>

#include <chrono>
#include <map>
#include <string>

using namespace std::chrono_literals;
using testing::all_items, testing::body, testing::error_of, testing::eventually, testing::faults_of,
    testing::require, testing::text;

/// The secrets that tenant `demo` shares with the providers.
inline constexpr char const* purchases_secret = "Bearer purchases-secret";
inline constexpr char const* signing_secret = "whsec_payments-secret";

/// The whole billing service in this process, with an issuer of user tokens. Its clock stays at
/// 2026-01-01T00:00:00Z until the test moves it. Times of writing come from the database.
class World : public testing::KeyedWorld<testing::FakeClock> {
public:
    struct Options {
        /// Configuration on top of the world's own, by variable name: `PURCHASES_API_URL`, ...
        std::map<std::string, std::string> environment = {};
        /// Whether tenants have the secrets above. If false, they have no settings.
        bool configured = true;
    };

    World() : World(Options()) {}

    explicit World(Options const& options);

    /// Posts a provider's event with its credential, at the world's time.
    testing::HttpResponse post_purchase(
        std::string const& body, std::string const& tenant = "demo-sandbox") const;
    testing::HttpResponse post_payment(
        std::string const& body, std::string const& tenant = "demo-sandbox") const;
    testing::HttpResponse post_purchase(
        boost::json::object const& event, std::string const& tenant = "demo-sandbox") const;
    testing::HttpResponse post_payment(
        boost::json::object const& event, std::string const& tenant = "demo-sandbox") const;

    /// The entitlements of a user, newest first.
    boost::json::array entitlements(
        std::string const& user_id = "ada", std::string const& tenant = "demo-sandbox") const;

    /// The entitlement of a user for a product. Throws if there is not exactly one.
    boost::json::object entitlement(std::string const& product, std::string const& user_id = "ada",
        std::string const& tenant = "demo-sandbox") const;
};

/// The result of an event: `applied`, `skipped no_user`, `400 VALIDATION_ERROR`, ...
std::string result_of(testing::HttpResponse const& response);

/// A signature header in the form of the payments provider: `t=…,v1=…`.
std::string signature(std::string const& body, std::string const& secret, core::Time at);
