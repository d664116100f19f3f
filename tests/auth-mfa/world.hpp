#pragma once

#include "app.hpp"
#include "support/fake_clock.hpp"
#include "support/http_client.hpp"
#include "support/json.hpp"
#include "support/service_world.hpp"
#include "support/twilio.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using testing::all_items, testing::body, testing::error_of, testing::text;

/// A user's account, with the values of the last responses.
struct Account {
    std::string tenant; ///< first label of the host: `demo-sandbox`
    std::string email, password;
    std::string user_id;
    std::string access_token, refresh_token;
    std::string phone;
    std::string totp_secret; ///< base32
    std::vector<std::string> recovery_codes;

    /// Stores the tokens of a sign-in response.
    void take(testing::HttpResponse const& signed_in);
};

/// An email in the outbox.
struct SentMail {
    std::string subject;
    std::string text;  ///< the text part, decoded
    std::string token; ///< the line that has only a token; empty if there is none
};

/// The whole auth-mfa service in this process. Its clock moves only when the test moves it. Text messages go
/// to a file or to a Twilio test server. Each client has its own network (an IPv4 /24).
class World : public testing::ServiceWorld<testing::FakeClock> {
public:
    struct Options {
        core::Time now = testing::FakeClock::start;
        std::string twilio_url = {}; ///< if set, replaces the outbox
        std::string base_host = "auth.localhost";
        std::uint16_t port = 0; ///< of the API, also in the issuer; 0: any free port, and none in the issuer
        std::string redis_url = {}; ///< if set, replaces the world's own Redis
        std::map<std::string, std::string> environment = {};
        /// `limits` of the tenants. With `sends_from_sandbox`, messages of the sandbox are sent like those of
        /// production, which is the default with `twilio_url`.
        std::string limits = {};
    };

    static constexpr char const* sends_from_sandbox = R"({"sandboxSms":true})";

    World() : World(Options()) {}

    explicit World(Options options);

    /// Whether new clients have addresses of one network.
    bool one_network = false;

    static constexpr char const* password = "correct horse battery";
    static constexpr char const* provider = "Tetrad Auth";

    testing::HttpClient as(Account const& account) const; ///< with its access token

    /// A new account, signed in.
    Account new_account(std::string const& tenant = "demo-sandbox") const;
    /// A new owner of the tenant, created by the operator and signed in.
    Account new_owner(std::string const& tenant = "demo-sandbox") const;
    /// A new member that has got this role from `owner` and has signed in again.
    Account new_member(Account const& owner, std::string const& role) const;
    /// A new API key of the environment.
    std::string new_key(std::string const& tenant = "demo-sandbox") const;
    /// A new account with the factor enrolled and with its `recovery_codes`.
    Account new_account_with_sms(std::string const& tenant = "demo-sandbox") const;
    Account new_account_with_totp(std::string const& tenant = "demo-sandbox") const;

    void enrol_sms(Account& account, std::string const& phone = new_phone()) const;
    void enrol_totp(Account& account) const;

    testing::HttpResponse login(Account const& account) const;
    testing::HttpResponse login(Account const& account, testing::HttpClient& client) const;
    /// Signs in with the password; returns the mfa_token.
    std::string challenged(Account const& account) const;
    testing::HttpResponse verify(std::string const& mfa_token, std::string const& method,
        std::string const& code, bool trust = false, std::string const& tenant = "demo-sandbox") const;
    testing::HttpResponse send(
        std::string const& mfa_token, std::string const& tenant = "demo-sandbox") const; ///< challenge

    /// Replaces the limits of a tenant. Returns when the service uses them.
    void limit(boost::json::object const& limits, std::string const& slug = "demo") const;

    /// Changes settings of the scope, and its `allowedOrigins`, with the master key. Returns when the service
    /// uses them.
    void set(boost::json::object settings, std::string const& tenant = "demo-sandbox") const;

    /// The code of the account's app at `clock` + `steps` * 30 s.
    std::string totp_code(Account const& account, int steps = 0) const;

    /// Text messages to `phone` so far, oldest first (outbox only).
    std::vector<boost::json::object> messages_to(std::string const& phone) const;
    /// The code in the last message to `phone`.
    std::string code_sent_to(std::string const& phone) const;

    /// The emails to `address` so far, in the order in which they were requested.
    std::vector<SentMail> mails_to(std::string const& address) const;
    /// Waits for an email to `address` whose subject contains `subject`, and returns the token in the latest
    /// one.
    std::string token_mailed_to(std::string const& address, std::string const& subject) const;
    /// Verifies the account's email with the token of the verification email.
    void verify_email(Account const& account) const;
    /// Proves the account's factor again, so that `account.access_token` is fresh and has `acr` `aal2`.
    void reauthenticate(Account& account) const;

    /// A phone number and an email that are new in this process.
    static std::string new_phone();
    static std::string new_email();

    /// Restarts the service over the same data.
    void restart();

private:
    void introduce(testing::HttpClient& client) const override;
    void await_first_key() const;
};

/// The body of a registration or a login.
std::string credentials(std::string const& email, std::string const& password);

/// The claims of an access token, which is not verified.
boost::json::object claims_of(std::string const& token);

/// Another code than `code`.
std::string other_code(std::string code);

/// The cookie `mfa_device` of a response, in the form in which a request sends it; "" if the response sets no
/// such cookie.
std::string device_cookie_of(testing::HttpResponse const& response);

/// Calls `request` on `n` threads at once; returns the number of responses with each status.
std::map<unsigned, int> at_once(int n, std::function<testing::HttpResponse(int number)> const& request);
