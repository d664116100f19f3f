#include "access_state.hpp"
#include "payment_events.hpp"
#include "syncing.hpp"

#include <string>
#include <vector>

// Refunds and lost disputes whose invoice only the payments provider knows. New API versions name the
// invoice neither in the charge nor in the dispute.

namespace {

using namespace payment_events;
using access_state::since, access_state::until;
using reading::leeway;

constexpr char const* lookup = "/v1/invoice_payments";

/// A tenant with a key for the provider's test mode.
struct Fixture {
    Fixture() { set_payments_key(world); }

    /// Makes the provider know which invoice the user's payment intent has paid.
    void connect(Payments const& payments) const
    {
        provider.has_invoice_payments({json::object{
            {"invoice", payments.id("in")}, {"payment_intent", payments.id("pi")}, {"status", "paid"}}});
    }

    /// Posts the subscription and its paid invoice.
    void pay(Payments const& payments) const
    {
        REQUIRE(post(world, payments.created()) == "applied");
        REQUIRE(post(world, payments.invoice(5)) == "applied");
    }

    std::string jobs(std::string const& condition = "true") const
    {
        return world.postgres.query(
            "SELECT count(*) FROM jobs WHERE queue = 'unknown-charges' AND " + condition);
    }

    PaymentsProvider const provider;
    World const world{options_for(provider)};
};

} // namespace

TEST_CASE_METHOD(Fixture,
    "a refund ends the subscription whose invoice the provider names, in any order of "
    "the events",
    "[unknown-charges]")
{
    in_all_orders([](Payments const& p) { return std::vector{p.created(), p.invoice(5), p.refund()}; },
        [&](Payments const& p, std::vector<json::object> const& sent) {
            CAPTURE(p.user);
            connect(p);
            for (auto const& event : sent)
                REQUIRE(world.post_payment(event).status == 200);
            CHECK(access_state::of(world, "a", p.user) == since("active", refunded_at));
            CHECK(archived(world, "charge.refunded", p.id("pi")) == "applied null " + p.user);
        });
    for (auto const& request : provider.seen()) {
        CHECK(text(request, "path") == lookup);
        CHECK(text(request, "authorization") == "Bearer sk_test_provider");
    }
}

TEST_CASE_METHOD(
    Fixture, "a lost dispute ends the subscription whose invoice the provider names", "[unknown-charges]")
{
    Payments const ada{"ada"};
    pay(ada);
    connect(ada);
    CHECK(post(world, ada.dispute("charge.dispute.created", "needs_response")) == "skipped dispute_open");
    CHECK(provider.seen().empty());
    CHECK(post(world, ada.dispute("charge.dispute.closed", "lost")) == "applied");
    CHECK(access_state::of(world, "a") == since("active", refunded_at));
}

TEST_CASE_METHOD(Fixture, "the provider is asked again later if it fails", "[unknown-charges]")
{
    Payments const ada{"ada"};
    pay(ada);
    connect(ada);
    provider.fails({json::object{{"path", lookup}, {"times", nullptr}, {"status", 503}}});
    CHECK(post(world, ada.refund()) == "skipped unknown_charge");
    CHECK(access_state::of(world, "a") == until("active", 30 * events::day + leeway));
    world.clock.advance(31s);
    REQUIRE(eventually([&] { return jobs("attempts > 0 AND lease_owner IS NULL") == "1"; }));
    CHECK(archived(world, "charge.refunded", ada.id("pi")) == "skipped unknown_charge null");

    provider.fails({});
    world.clock.advance(2h);
    CHECK(eventually([&] { return jobs() == "0"; }));
    CHECK(access_state::of(world, "a") == since("active", refunded_at));
    CHECK(archived(world, "charge.refunded", ada.id("pi")) == "applied null ada");
}

TEST_CASE_METHOD(
    Fixture, "the provider is asked after a suspension, or when the key is back", "[unknown-charges]")
{
    bool const by_key = GENERATE(false, true);
    CAPTURE(by_key);
    Payments const ada{"ada"};
    pay(ada);
    connect(ada);
    provider.fails({json::object{{"path", lookup}, {"times", nullptr}, {"status", 503}}});
    CHECK(post(world, ada.refund()) == "skipped unknown_charge");
    provider.fails({});
    auto const set_available = [&](bool available) {
        if (by_key)
            require(200,
                world.as_backend("demo").patch("/v1/settings",
                    body({{"paymentsApiKey", available ? json::value("sk_test_provider") : json::value()}})));
        else
            require(
                200, world.as_master().put("/v1/admin/tenants/demo",
                         body({{"displayName", "Demo"}, {"status", available ? "active" : "suspended"}})));
    };
    set_available(false);
    world.clock.advance(31s);
    REQUIRE(eventually([&] { return jobs("run_at > jobs_now()") == "1"; }));
    set_available(true);
    world.clock.advance(2h);
    CHECK(eventually([&] { return jobs() == "0"; }));
    CHECK(access_state::of(world, "a") == since("active", refunded_at));
}

TEST_CASE_METHOD(Fixture,
    "the invoice that the provider named is archived, so that a replay does not ask again",
    "[unknown-charges]")
{
    Payments const ada{"ada"};
    pay(ada);
    connect(ada);
    REQUIRE(post(world, ada.refund()) == "applied");
    auto const before = world.entitlement("a");
    auto backend = world.as_backend();
    auto const events = all_items(backend, "/v1/events");
    CHECK(events.size() == 4); // with the link between the payment and the invoice
    CHECK(all_items(backend, "/v1/events?type=LINK").size() == 1);

    require(200, world.as_backend("demo").patch("/v1/settings", R"({"paymentsApiKey":null})"));
    provider.forget();
    world.postgres.query(
        "DELETE FROM entitlements; DELETE FROM payment_subscriptions; DELETE FROM payment_references");
    for (auto const& event : events)
        require(200, backend.post("/v1/events/" + text(event, "eventId") + "/replay", ""));
    CHECK(world.entitlement("a") == before);
    CHECK(provider.seen().empty());
}

TEST_CASE_METHOD(Fixture, "a refund that no invoice belongs to stays skipped", "[unknown-charges]")
{
    Payments const ada{"ada"};
    pay(ada);
    auto const before = world.entitlements();
    CHECK(post(world, ada.refund()) == "skipped unknown_charge");
    world.clock.advance(31s);
    CHECK(eventually([&] { return jobs() == "0"; }));
    CHECK(world.entitlements() == before);
    CHECK(archived(world, "charge.refunded", ada.id("pi")) == "skipped unknown_charge null");
}

TEST_CASE_METHOD(
    Fixture, "the provider is not asked about a payment that an event connects", "[unknown-charges]")
{
    Payments const ada{"ada"}, bob{"bob"};
    pay(ada);
    REQUIRE(post(world, ada.invoice_payment()) == "skipped connects_payments");
    CHECK(post(world, ada.refund()) == "applied");
    pay(bob);
    CHECK(post(world, bob.refund({{"invoice", bob.id("in")}})) == "applied");
    CHECK(provider.seen().empty());
    CHECK(jobs() == "0");
}

TEST_CASE_METHOD(Fixture, "without a key the provider is not asked about a refund", "[unknown-charges]")
{
    require(200, world.as_backend("demo").patch("/v1/settings", R"({"paymentsApiKey":null})"));
    Payments const ada{"ada"};
    pay(ada);
    connect(ada);
    CHECK(post(world, ada.refund()) == "skipped unknown_charge");
    CHECK(jobs() == "0");
    CHECK(provider.seen().empty());
    CHECK(access_state::of(world, "a") == until("active", 30 * events::day + leeway));
}
