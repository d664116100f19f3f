#include "scripted_smtp_server.hpp"
#include "support/gate.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

using testing::ScriptedSmtpServer, testing::SmtpPeer;

// Emails of two tenants to a mail server whose replies to one tenant's recipients are slow.

namespace {

namespace json = boost::json;

/// The service for the tenants `demo` and `other`. The mail server replies to recipients at `slow…` when
/// `held` is open.
class Service {
public:
    Service()
    {
        for (auto const* tenant : {"demo-sandbox", "other-sandbox"})
            world.new_template("mail", {}, tenant);
    }

    std::string send(std::string const& to, std::string const& tenant) const
    {
        return world.send({{"templateName", "mail"}, {"channel", "email"}, {"to", to}}, tenant);
    }

    std::size_t in_status(std::string const& status) const
    {
        return std::stoul(
            world.postgres.query("SELECT count(*) FROM notifications WHERE status = '" + status + "'"));
    }

private:
    void serve(SmtpPeer& peer)
    {
        peer.greet({});
        for (;;) {
            auto const line = peer.line();
            if (line.starts_with("DATA")) {
                peer.say("354 Go ahead");
                peer.message();
            } else if (line.starts_with("RCPT") && line.find("@slow") != std::string::npos) {
                held.pass_blocking();
            }
            peer.say("250 2.0.0 Ok");
        }
    }

public:
    testing::Gate held;

private:
    ScriptedSmtpServer const server_{[this](SmtpPeer& peer, int) { serve(peer); }};

public:
    World world{{.environment = {{"EMAIL_PROVIDER", "smtp"}, {"SMTP_URL", server_.url()},
                     {"EMAIL_FROM", "n@x.example"}}}};

private:
    testing::OpenAtEnd const open_at_end_{held}; ///< destroyed first, so that the service can end
};

} // namespace

TEST_CASE("a mail server whose replies to one tenant's emails are slow delays no email of another tenant",
    "[email]")
{
    Service f;
    constexpr std::size_t total = 60;
    for (std::size_t i = 0; i < total; ++i)
        f.send("ada@slow" + std::to_string(i % 10) + ".example", "demo-sandbox");
    REQUIRE(eventually([&] { return f.held.arrived() >= 16; })); // of 20 connections
    for (int i = 0; i < 5; ++i) {
        auto const id = f.send("ada@fast.example", "other-sandbox");
        REQUIRE(f.world.becomes(id, "sent", "other-sandbox"));
    }
    CHECK(f.in_status("queued") == total);
    f.held.open();
    CHECK(eventually([&] { return f.in_status("sent") == total + 5; }));
}
