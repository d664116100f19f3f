#include "held_smtp.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <memory>

// Emails of two tenants to a domain whose server throttles.

namespace {

namespace json = boost::json;

constexpr char const* slow_domain = "@slow.example";
constexpr std::size_t most = 20;  ///< emails of a tenant to one domain in flight
constexpr std::size_t total = 30; ///< emails of `demo` to the slow domain

/// The first email to `bulk…@slow.example` gets 421, when `most` of them have arrived. The others are
/// accepted when `held` is open. Emails to `busy@…` always get 421.
struct Throttling {
    std::shared_ptr<std::atomic<unsigned>> bulk_arrived = std::make_shared<std::atomic<unsigned>>(0);

    std::string operator()(HeldSmtp& server, std::string const& command) const
    {
        constexpr char const* throttled = "421 4.7.0 Too many messages";
        if (command.find("<busy@") != std::string::npos) return throttled;
        if (command.find("<bulk") != std::string::npos) {
            if ((*bulk_arrived)++ == 0) {
                eventually([&] { return server.held.arrived() == most - 1; });
                return throttled;
            }
            server.held.pass_blocking();
        }
        return "250 2.1.5 Ok";
    }
};

struct Lanes : HeldSmtp {
    Lanes() : HeldSmtp(Throttling{}, "40") {}

    core::Time const due = world.clock.now() + 1h;

    /// Sends an email that is due now, or at `due`.
    std::string send(std::string const& to, std::string const& tenant, bool later = false) const
    {
        json::object fields{{"templateName", "mail"}, {"channel", "email"}, {"to", to}};
        if (later) fields["sendAt"] = core::to_rfc3339(due);
        return world.send(fields, tenant);
    }

    /// Sends the emails of `demo` to the slow domain, and waits `late` after they were due until the first
    /// one is throttled. The service begins to send them only then, as if it had been down.
    void throttle(std::chrono::seconds late = 0s)
    {
        for (std::size_t i = 0; i < total; ++i)
            send("bulk" + std::to_string(i) + slow_domain, "demo-sandbox", true);
        world.clock.set(due + late);
        REQUIRE(eventually([&] { return bulk("attempts = 1") == 1; }));
        REQUIRE(held.arrived() == most - 1);
    }

    /// The number of emails of `demo` to the slow domain with this property.
    std::size_t bulk(std::string const& property) const
    {
        return std::stoul(world.postgres.query(
            "SELECT count(*) FROM notifications WHERE recipient LIKE 'bulk%' AND " + property));
    }
};

} // namespace

TEST_CASE("a domain that throttles a tenant delays neither its other domains nor any email of another tenant",
    "[email]")
{
    Lanes f;
    f.throttle();
    REQUIRE(eventually([&] {
        return f.world.postgres.query(
                   "SELECT count(*) FROM jobs WHERE queue = "
                   "'notify.email' AND lease_owner IS NULL") == std::to_string(total - most + 1);
    }));

    auto const elsewhere = f.send("ada@fast.example", "demo-sandbox");
    REQUIRE(f.world.becomes(elsewhere, "sent"));
    auto const of_other = f.send("ada@fast.example", "other-sandbox");
    REQUIRE(f.world.becomes(of_other, "sent", "other-sandbox"));
    // Each tenant has a limit of its own for a domain, so the other tenant's email to it is tried at once.
    auto const same_domain = f.send(std::string("ada") + slow_domain, "other-sandbox");
    REQUIRE(f.world.becomes(same_domain, "sent", "other-sandbox"));
    CHECK(f.bulk("status = 'queued'") == total);
    CHECK(f.bulk("attempts = 0") == total - 1);

    f.held.open();
    REQUIRE(eventually([&] { return f.bulk("status = 'sent'") == most - 1; }));
    CHECK(f.bulk("status = 'queued' AND attempts = 0") == total - most);
}

TEST_CASE("emails that wait for a domain that throttles fail 24 hours after they were due", "[email]")
{
    bool const too_late = GENERATE(false, true);
    Lanes f;
    f.throttle(too_late ? 24h : 24h - 1s);
    constexpr std::size_t waiting = total - most;
    if (too_late) {
        REQUIRE(eventually([&] { return f.bulk("status = 'failed'") == waiting; }));
        CHECK(f.bulk("failure_reason = 'DOMAIN_THROTTLED' AND attempts = 0") == waiting);
    } else {
        REQUIRE(eventually([&] {
            return f.world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'notify.email' AND "
                                          "lease_owner IS NULL") == std::to_string(waiting + 1);
        }));
        CHECK(f.bulk("status = 'failed'") == 0);
    }
    // The email that was tried has had one attempt, and gets more.
    CHECK(f.bulk("status = 'queued' AND attempts = 1") == 1);
}

TEST_CASE("an email fails after nine replies of 421, with the last reply", "[email]")
{
    Lanes f;
    auto const id = f.send("busy@slow.example", "demo-sandbox", true);
    f.world.postgres.query("UPDATE notifications SET attempts = 8");
    f.world.clock.set(f.due);
    REQUIRE(f.world.becomes(id, "failed"));
    auto const n = f.world.notification(id);
    CHECK(n.at("attempts") == 9);
    CHECK_THAT(text(n, "failureReason"), Catch::Contains("4.7.0 Too many messages"));
    CHECK(f.world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'notify.email'") == "0");
}
