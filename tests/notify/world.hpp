#pragma once

#include "app.hpp"
#include "support/eventually.hpp"
#include "support/fake_clock.hpp"
#include "support/http_client.hpp"
#include "support/json.hpp"
#include "support/keyed_world.hpp"

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;
using testing::ada, testing::all_items, testing::bob, testing::body, testing::error_of, testing::eventually,
    testing::faults_of, testing::require, testing::text;

/// The whole notify service in this process, with an issuer of user tokens. Its clock stays at the time of
/// construction until the test moves it, so there is no retry before that. By default, email and text
/// messages go to files, and the push carriers are unreachable.
class World : public testing::KeyedWorld<testing::FakeClock> {
public:
    struct Options {
        /// Configuration variables that are added to the world's own, by name: `FCM_BASE_URL`, `SMTP_URL`,
        /// `DNS_SERVERS`, ...
        std::map<std::string, std::string> environment = {};
        /// Whether sends have the limit that the contract states. If false, the limit is too high to be
        /// reached.
        bool limited = false;
        /// Whether text messages of the sandbox are sent like those of production.
        bool sandbox_sms = true;
        /// Changes the settings that services share.
        std::function<void(service::Settings&)> adjust = {};
    };

    World() : World(Options()) {}

    explicit World(Options const& options);

    /// A client with a publishable key of the scope, like an app.
    testing::HttpClient as_app(std::string const& tenant = "demo-sandbox") const;

    /// Creates a template through the API and returns its id. The channel is email unless `fields` say
    /// otherwise; every field has a default.
    std::string new_template(std::string const& name, boost::json::object fields = {},
        std::string const& tenant = "demo-sandbox") const;

    /// Stores new push credentials for the scope.
    void put_fcm(std::string const& tenant = "demo-sandbox") const;
    void put_apns(std::string const& tenant = "demo-sandbox") const;

    void new_device(std::string const& user_id, std::string const& token,
        std::string const& platform = "android", std::string const& tenant = "demo-sandbox") const;

    /// Sends a notification, which must be accepted. Returns its id.
    std::string send(boost::json::object const& body, std::string const& tenant = "demo-sandbox") const;

    /// GET /v1/notifications/{id}
    boost::json::value notification(std::string const& id, std::string const& tenant = "demo-sandbox") const;

    /// Whether the notification reaches `status`.
    bool becomes(
        std::string const& id, std::string const& status, std::string const& tenant = "demo-sandbox") const;

    /// Replaces the limits of a tenant. Returns when the service uses them.
    void limit(boost::json::object const& limits, std::string const& slug = "demo") const;

    /// The messages in the outbox of text messages, oldest first.
    std::vector<boost::json::object> texts() const;
    /// The messages in the email outbox, in no particular order.
    std::vector<std::string> mails() const;

private:
    std::string_view kind_of_backends() const override { return "secret"; }
};

/// The bodies of `PUT /v1/platforms/fcm` and `apns`, with new keys.
boost::json::object fcm_credential();
boost::json::object apns_credential();
