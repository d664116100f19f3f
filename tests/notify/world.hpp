#pragma once

#include "app.hpp"
#include "testing/eventually.hpp"
#include "testing/fake_clock.hpp"
#include "testing/http_client.hpp"
#include "testing/issuer.hpp"
#include "testing/json.hpp"
#include "testing/service_world.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using testing::all_items, testing::error_of, testing::eventually, testing::text;

/// The whole notify service in this process, and an issuer of user tokens. Its clock stands still at the time
/// at which it was made, so nothing is retried until the test moves it. Email and text messages go to files,
/// and there is nobody who carries pushes, unless the options say otherwise.
class World : public testing::ServiceWorld<testing::FakeClock> {
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

    testing::HttpClient as_backend(std::string const& tenant = "demo-sandbox") const; ///< secret key
    testing::HttpClient as_app(std::string const& tenant = "demo-sandbox") const;     ///< publishable key
    testing::HttpClient as_user(std::string const& subject, std::string const& role = "user",
        std::string const& tenant = "demo-sandbox") const;

    /// A key of the scope, `secret` or `publishable`, made on first use.
    std::string key(std::string const& tenant = "demo-sandbox", std::string const& kind = "secret") const;
    std::string token(std::string const& subject, std::string const& role = "user",
        std::string const& tenant = "demo-sandbox") const;

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

    /// The `scope_id` of a tenant's environment.
    std::string scope_id(std::string const& tenant = "demo-sandbox") const;

    /// What the outbox of text messages holds, oldest first.
    std::vector<boost::json::object> texts() const;
    /// The messages in the outbox of email, in no order.
    std::vector<std::string> mails() const;

    testing::Issuer issuer{clock};

private:
    mutable std::map<std::string, std::string> keys_;
};

/// Ids of two users.
inline constexpr char const* ada = "0190a5d2-0000-7000-8000-00000000ada0";
inline constexpr char const* bob = "0190a5d2-0000-7000-8000-00000000b0b0";

/// A JSON object with these members, serialised.
std::string body(boost::json::object const& members);

/// The bodies of `PUT /v1/platforms/fcm` and `apns`, with new keys.
boost::json::object fcm_credential();
boost::json::object apns_credential();

/// What is wrong with a request, as `pointer code`, one a line, in the answer's order.
std::string faults_of(testing::HttpResponse const& response);
