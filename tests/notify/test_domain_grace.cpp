#include "domain_world.hpp"

using namespace domain_tests;

namespace {

/// A world whose scope `demo-sandbox` has the verified domain example.com and a webhook.
struct Grace : DomainWorld {
    Grace()
    {
        world.new_template("welcome");
        REQUIRE(world.as_backend().post("/v1/webhooks", R"({"url":"http://127.0.0.1:9/"})").status == 201);
        restore();
        REQUIRE(status() == "verified");
    }

    void restore() { dns.serve(records); }

    json::value shown() const
    {
        auto const r = ask();
        INFO(r.body);
        REQUIRE(r.status == 200);
        return r.json();
    }

    std::string now() const { return core::to_rfc3339(world.clock.now()); }

    /// The number of events `domain.failing` so far.
    std::string announced() const
    {
        return world.postgres.query(
            "SELECT count(*) FROM webhook_deliveries WHERE event_type = 'domain.failing'");
    }

    std::string checked_at() const { return world.postgres.query("SELECT checked_at FROM email_domains"); }

    DnsServer::Records const records = records_of(verified());
};

} // namespace

TEST_CASE_METHOD(
    Grace, "a verified domain is given up when its records have been wrong for 72 hours", "[domains]")
{
    CHECK(shown().at("failingSince").is_null());
    dns.serve({});
    auto const began = now();
    auto const failing = shown();
    CHECK(text(failing, "status") == "verified");
    CHECK(text(failing, "failingSince") == began);
    CHECK(text(failing, "verifiedAt") != "null");
    CHECK(statuses_of(failing) == "ownership missing, dkim missing, spf missing, dmarc missing");
    CHECK_THAT(header(mailed(), "From"), Catch::EndsWith("<hello@example.com>"));

    world.clock.advance(71h);
    CHECK(text(shown(), "status") == "verified");
    CHECK(text(shown(), "failingSince") == began);
    CHECK(world.postgres.query("SELECT count(*) FROM domain_claims") == "1");
    world.clock.advance(1h);
    auto const given_up = shown();
    CHECK(text(given_up, "status") == "pending");
    CHECK(given_up.at("failingSince").is_null());
    CHECK(given_up.at("verifiedAt").is_null());
    CHECK(world.postgres.query("SELECT count(*) FROM domain_claims") == "0");
    CHECK(audited(world) == "domain.created, domain.verified, domain.unverified");
    CHECK(announced() == "1");
}

TEST_CASE_METHOD(Grace, "right records end the grace", "[domains]")
{
    auto changed = records;
    changed["_notify.example.com"] = {"notify-verification=of-somebody-else"};
    dns.serve(changed);
    CHECK(text(shown(), "failingSince") == now());
    CHECK(statuses_of(shown()) == "ownership mismatch, dkim verified, spf verified, dmarc verified");
    world.clock.advance(30h);
    restore();
    CHECK(shown().at("failingSince").is_null());
    world.clock.advance(30h);
    CHECK(text(shown(), "status") == "verified");

    // The next wrong answer begins another 72 hours. The webhook, whose URL does not answer, is not disabled
    // yet.
    dns.serve({});
    auto const again = now();
    CHECK(text(shown(), "failingSince") == again);
    CHECK(announced() == "2");
    world.clock.advance(71h);
    CHECK(text(shown(), "status") == "verified");
}

TEST_CASE_METHOD(Grace, "a resolver that does not answer neither begins nor ends the grace", "[domains]")
{
    dns.refuse_others({});
    CHECK(shown().at("failingSince").is_null());
    CHECK(announced() == "0");
    dns.serve({});
    auto const began = now();
    CHECK(text(shown(), "failingSince") == began);
    dns.refuse_others({});
    world.clock.advance(100h);
    auto const unanswered = shown();
    CHECK(text(unanswered, "status") == "verified");
    CHECK(text(unanswered, "failingSince") == began);
    CHECK(statuses_of(unanswered) == "ownership unknown, dkim unknown, spf unknown, dmarc unknown");
    restore();
    CHECK(shown().at("failingSince").is_null());
}

TEST_CASE_METHOD(Grace, "the first wrong answer is announced with the domain and its records", "[domains]")
{
    dns.serve({});
    auto const failing = shown();
    shown();
    REQUIRE(announced() == "1");
    auto const event = json::parse(
        world.postgres.query("SELECT payload FROM webhook_deliveries WHERE event_type = 'domain.failing'"));
    CHECK(text(event, "type") == "domain.failing");
    CHECK(event.at("data") == failing);

    // A domain that was never verified does not fail.
    REQUIRE(verify("example.net").status == 200);
    CHECK(text(shown(), "status") == "pending");
    CHECK(shown().at("failingSince").is_null());
    CHECK(announced() == "1");
}

TEST_CASE_METHOD(Grace, "a failing domain is checked once an hour", "[domains]")
{
    auto const is_checked = [&](std::chrono::hours later) {
        auto const before = checked_at();
        // The worker sets the time of the next check by the clock, so its job must have ended before.
        REQUIRE(eventually([&] {
            return world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'notify.domains' AND "
                                        "lease_owner IS NOT NULL") == "0";
        }));
        world.clock.advance(later);
        return eventually([&] { return checked_at() != before; });
    };
    dns.serve({});
    REQUIRE(text(shown(), "failingSince") != "null"); // found by a request, before the daily check
    for (int i = 0; i < 3; ++i)
        CHECK(is_checked(1h));
    restore();
    CHECK(is_checked(1h));
    CHECK(failing_since() == "");

    // The daily check begins the grace, too.
    dns.serve({});
    CHECK(is_checked(24h));
    CHECK(failing_since() != "");
    CHECK(announced() == "2");
    CHECK(is_checked(1h));
}

TEST_CASE_METHOD(Grace, "a request for the same domain during the grace changes only the sender", "[domains]")
{
    dns.serve({});
    auto const began = now();
    REQUIRE(text(shown(), "failingSince") == began);
    world.clock.advance(10h);
    auto const again = verify("example.com", "demo-sandbox", "Another name");
    REQUIRE(again.status == 200);
    CHECK(text(again.json(), "status") == "verified");
    CHECK(text(again.json(), "fromName") == "Another name");
    CHECK(text(again.json(), "failingSince") == began);
    CHECK(records_of(again.json()) == records);
}
