#pragma once

#include "peer.hpp"
#include "providers/mail.hpp"
#include "providers/smtp.hpp"
#include "support/eventually.hpp"
#include "support/json.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

/// Helpers for tests of outgoing mail. smtp-server receives the messages and mailparser reads them
/// (node/smtp.mjs). Both are independent software.
namespace mailing {

using namespace notify;
using namespace std::chrono_literals;
using testing::eventually, testing::text;
namespace json = boost::json;

inline Mailbox const shared{"Tetrad Nötify", "notify@shared.example"};

inline Email email_to(std::string to, std::string subject = "Hello")
{
    Email email;
    email.id = core::Uuid::v7();
    email.date = *core::parse_rfc3339("2026-03-01T12:00:00.500Z");
    email.to = std::move(to);
    email.content.subject = std::move(subject);
    email.content.body = "<p>Hi</p>";
    email.content.html = true;
    return email;
}

/// A mail server that reports its actions.
class SmtpServer {
public:
    explicit SmtpServer(json::object const& options = {}) : peer_("smtp.mjs", options) {}

    std::string url(std::string const& scheme = "smtp", std::string const& user = "") const
    {
        return scheme + "://" + user + "localhost:" + std::to_string(port());
    }

    int port() const noexcept { return peer_.port(); }

    /// Waits until the server has received `count` messages and returns them. The test fails if the server
    /// has received more.
    std::vector<json::object> mails(std::size_t count) const
    {
        CHECK(eventually([&] { return peer_.said("raw").size() >= count; }));
        auto found = peer_.said("raw");
        CHECK(found.size() == count);
        found.resize(count);
        return found;
    }

    std::size_t connections() const { return peer_.said("connected").size(); }

    void close_connections()
    {
        peer_.process().signal(SIGUSR2);
        REQUIRE(eventually([this] { return !peer_.said("closed").empty(); }));
    }

private:
    Peer peer_;
};

inline SmtpOptions to_server(std::string url, std::string ca_file = {})
{
    return {.url = core::Secret(std::move(url)), .ca_file = std::move(ca_file)};
}

inline Mailer mailer(SmtpOptions options)
{
    return Mailer(shared, std::make_unique<Smtp>(std::move(options)));
}

} // namespace mailing
