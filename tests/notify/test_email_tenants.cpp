#include "held_smtp.hpp"

#include <catch2/catch.hpp>

// Emails of two tenants to a mail server whose replies to one tenant's recipients are slow.

namespace {

namespace json = boost::json;

/// The mail server replies to recipients at `slow…` when `held` is open.
struct Service : HeldSmtp {
    Service() : HeldSmtp(reply, "20") {}

    static std::string reply(HeldSmtp& server, std::string const& command)
    {
        if (command.find("@slow") != std::string::npos) server.held.pass_blocking();
        return "250 2.1.5 Ok";
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
