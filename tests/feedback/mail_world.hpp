#pragma once

#include "app.hpp"
#include "smtp_server.hpp"
#include "support/fake_clock.hpp"
#include "support/keyed_world.hpp"

#include <string>
#include <vector>

/// The service with a mail server, in a world whose time the test moves.
class MailWorld : public testing::KeyedWorld<testing::FakeClock> {
public:
    /// `environment` replaces variables of the service.
    explicit MailWorld(testing::Variables environment = {});

    /// A client with a token of this user.
    testing::HttpClient as(std::string const& subject, std::string const& email, bool is_verified = true,
        std::string const& role = "user", std::string const& tenant = "demo-sandbox") const;

    void set(boost::json::object const& settings) const;

    /// Waits until the service has no emails to send now.
    void settle() const;

    /// Moves the time and then calls `settle`.
    void advance(std::chrono::seconds by);

    /// All messages that the mail server has received, in order, when the service has no more to send now.
    /// The test fails if their number is not `count`.
    std::vector<boost::json::object> mails(std::size_t count) const;

    /// The messages to this address.
    std::vector<boost::json::object> mails_to(std::string const& address) const;

    testing::SmtpServer server;
};

/// The value of a header field of a received message; empty if it has none.
std::string header(boost::json::object const& mail, std::string const& name);

/// Everything that a recipient can see: the raw message and its decoded parts.
std::string whole(boost::json::object const& mail);

/// The path of the link that ends emails.
std::string unsubscribe_path(boost::json::object const& mail);
