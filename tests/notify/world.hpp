#pragma once

#include "app.hpp"
#include "testing/eventually.hpp"
#include "testing/fake_clock.hpp"
#include "testing/http_client.hpp"
#include "testing/json.hpp"
#include "testing/keyed_world.hpp"

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;
using testing::ada, testing::all_items, testing::bob, testing::body, testing::error_of, testing::eventually,
    testing::faults_of, testing::require, testing::text;

/// The whole notify service in this process, and an issuer of user tokens. Its clock stands still at the time
/// at which it was made, so nothing is retried until the test moves it. Email and text messages go to files,
/// and there is nobody who carries pushes, unless the options say otherwise.
class World : public testing::KeyedWorld<testing::FakeClock> {
public:
    struct Options {
        /// Configuration on top of the world's own, by the names of the variables: `FCM_BASE_URL`,
        /// `SMTP_URL`, `DNS_SERVERS`, ...
        std::map<std::string, std::string> environment = {};
        /// Whether the limit of sends is the one of the contract; else nobody reaches it.
        bool limited = false;
    };

    World() : World(Options()) {}

    explicit World(Options const& options);

    /// With a publishable key of the scope, as an app has it.
    testing::HttpClient as_app(std::string const& tenant = "demo-sandbox") const;

    /// A template made through the API, of email unless `fields` say otherwise; they may leave out
    /// everything. Its id.
    std::string new_template(std::string const& name, boost::json::object fields = {},
        std::string const& tenant = "demo-sandbox") const;

    /// Push credentials of the scope, new ones, which are nobody's.
    void put_fcm(std::string const& tenant = "demo-sandbox") const;
    void put_apns(std::string const& tenant = "demo-sandbox") const;

    void new_device(std::string const& user_id, std::string const& token,
        std::string const& platform = "android", std::string const& tenant = "demo-sandbox") const;

    /// Sends, and expects it to be accepted: the notification's id.
    std::string send(boost::json::object const& body, std::string const& tenant = "demo-sandbox") const;

    /// GET /v1/notifications/{id}
    boost::json::value notification(std::string const& id, std::string const& tenant = "demo-sandbox") const;

    /// Whether the notification comes to that status.
    bool becomes(
        std::string const& id, std::string const& status, std::string const& tenant = "demo-sandbox") const;

    /// What the outbox of text messages holds, oldest first.
    std::vector<boost::json::object> texts() const;
    /// The messages in the outbox of email, in no order.
    std::vector<std::string> mails() const;

private:
    std::string_view kind_of_backends() const override { return "secret"; }
};

/// The bodies of `PUT /v1/platforms/fcm` and `apns`, with new keys.
boost::json::object fcm_credential();
boost::json::object apns_credential();
