#include "access_state.hpp"
#include "payment_events.hpp"
#include "reading.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

// Payments that are taken back: refunds and disputes.

using namespace payment_events;
using namespace reading;
using access_state::forever, access_state::since, access_state::until;
using events::day, events::rfc3339, events::s;

TEST_CASE("a full refund of an invoice ends access at its time, in any order of the events", "[reversals]")
{
    World const world;
    auto const check = [&](Payments const& payments, std::vector<json::object> const& sent) {
        CAPTURE(payments.user);
        for (auto const& event : sent)
            REQUIRE(world.post_payment(event).status == 200);
        auto const e = world.entitlement("a", payments.user);
        CHECK(access_state::of(e) == since("active", refunded_at));
        CHECK(text(e, "expiresAt") == rfc3339(30 * day));
        CHECK(text(e, "lastEventType") == "charge.refunded");
        CHECK(archived(world, "charge.refunded", payments.id("pi")) == "applied null " + payments.user);
    };
    // Old API versions name the invoice in the charge.
    in_all_orders(
        [](Payments const& p) {
            return std::vector{p.created(), p.invoice(5), p.refund({{"invoice", p.id("in")}})};
        },
        check);
    in_all_orders(
        [](Payments const& p) {
            Payments const basil{"basil " + p.user};
            return std::vector{basil.created(), basil.invoice(5), basil.invoice_payment(), basil.refund()};
        },
        [&](Payments const& p, auto const& sent) { check({"basil " + p.user}, sent); });
    // Old API versions name the charge and the payment intent in the invoice.
    in_all_orders(
        [](Payments const& p) {
            Payments const old{"old " + p.user};
            json::object const names{{"charge", "ch of " + old.id("pi")}, {"payment_intent", old.id("pi")}};
            return std::vector{old.created(), old.invoice(5, 0, "in", names), old.refund()};
        },
        [&](Payments const& p, auto const& sent) { check({"old " + p.user}, sent); });
}

TEST_CASE("a partial refund changes nothing", "[reversals]")
{
    World const world;
    Payments const ada{"ada"};
    REQUIRE(post(world, ada.created()) == "applied");
    REQUIRE(post(world, ada.invoice(5)) == "applied");
    REQUIRE(post(world, ada.invoice_payment()) == "skipped connects_payments");
    auto const before = world.entitlements();
    CHECK(
        post(world, ada.refund({{"amount_refunded", 500}, {"refunded", false}})) == "skipped partial_refund");
    CHECK(world.entitlements() == before);
    // The second refund gives the rest back.
    CHECK(post(world, ada.refund()) == "applied");
    CHECK(access_state::of(world, "a") == since("active", refunded_at));
}

TEST_CASE("a refund for an earlier period does not end the current period", "[reversals]")
{
    World const world;
    for (bool const refund_first : {false, true}) {
        Payments const p{refund_first ? "first" : "last"};
        CAPTURE(p.user);
        auto refund = p.refund({{"invoice", p.id("in 1")}});
        refund["created"] = s(40 * day);
        if (refund_first) CHECK(post(world, refund) == "skipped unknown_charge");
        REQUIRE(post(world, p.created()) == "applied");
        REQUIRE(post(world, p.invoice(5, 0, "in 1")) == "applied");
        REQUIRE(
            post(world, p.subscription("customer.subscription.updated", 30 * day, 30 * day)) == "applied");
        REQUIRE(post(world, p.invoice(30 * day + 5, 30 * day, "in 2")) == "applied");
        if (!refund_first) CHECK(post(world, refund) == "applied");
        CHECK(access_state::of(world, "a", p.user) == until("active", 60 * day + leeway));
        // A refund for the current period ends it.
        refund = p.refund({{"invoice", p.id("in 2")}}, "pi 2");
        refund["created"] = s(41 * day);
        CHECK(post(world, refund) == "applied");
        CHECK(access_state::of(world, "a", p.user) == since("active", 41 * day));
    }
}

TEST_CASE("a refund does not end a period that began, and was paid, before the refunded one was over",
    "[reversals]")
{
    World const world;
    Payments const ada{"ada"};
    REQUIRE(post(world, ada.created()) == "applied");
    REQUIRE(post(world, ada.invoice(5, 0, "in 1")) == "applied");
    auto refund = ada.refund({{"invoice", ada.id("in 1")}});
    refund["created"] = s(5 * day);
    REQUIRE(post(world, refund) == "applied");
    CHECK(access_state::of(world, "a") == since("active", 5 * day));
    // A change of the plan begins a new period on the day of the change.
    REQUIRE(post(world, ada.subscription("customer.subscription.updated", 10 * day, 10 * day)) == "applied");
    REQUIRE(post(world, ada.invoice(10 * day + 5, 10 * day, "in 2")) == "applied");
    CHECK(access_state::of(world, "a") == until("active", 40 * day + leeway));
    refund = ada.refund({{"invoice", ada.id("in 2")}}, "pi 2");
    refund["created"] = s(12 * day);
    REQUIRE(post(world, refund) == "applied");
    CHECK(access_state::of(world, "a") == since("active", 12 * day));
}

TEST_CASE("a refund of an invoice that was paid before its period ends access", "[reversals]")
{
    World const world;
    Payments const ada{"ada"};
    REQUIRE(post(world, ada.created()) == "applied");
    REQUIRE(post(world, ada.invoice(5, 30 * day)) == "applied");
    CHECK(access_state::of(world, "a") == until("active", 60 * day + leeway));
    CHECK(post(world, ada.refund({{"invoice", ada.id("in")}})) == "applied");
    CHECK(access_state::of(world, "a") == since("active", refunded_at));
}

TEST_CASE("a period that begins after the refund gives access again", "[reversals]")
{
    World const world;
    Payments const ada{"ada"};
    REQUIRE(post(world, ada.created()) == "applied");
    REQUIRE(post(world, ada.invoice(5)) == "applied");
    REQUIRE(post(world, ada.refund({{"invoice", ada.id("in")}})) == "applied");
    // An update within the refunded period does not.
    REQUIRE(post(world, ada.subscription("customer.subscription.updated", 200)) == "applied");
    CHECK(access_state::of(world, "a") == since("active", refunded_at));
    REQUIRE(post(world, ada.subscription("customer.subscription.updated", 30 * day, 30 * day)) == "applied");
    CHECK(access_state::of(world, "a") == until("active", 60 * day + leeway));
}

TEST_CASE("a dispute ends access only if it is lost", "[reversals]")
{
    World const world;
    add_coins(world);
    constexpr auto opened = "charge.dispute.created", closed = "charge.dispute.closed";
    for (std::string const status : {"won", "warning_closed", "lost"}) {
        Payments const subscriber{"subscriber " + status}, buyer{"buyer " + status};
        REQUIRE(post(world, subscriber.created()) == "applied");
        REQUIRE(post(world, subscriber.invoice(5)) == "applied");
        REQUIRE(post(world, subscriber.invoice_payment()) == "skipped connects_payments");
        REQUIRE(post(world, buyer.checkout()) == "applied");
        bool const is_lost = status == "lost";
        for (auto const& [payments, product] : {std::pair(subscriber, "a"), std::pair(buyer, "coins")}) {
            CAPTURE(payments.user);
            auto const before = world.entitlements(payments.user);
            CHECK(post(world, payments.dispute(opened, "needs_response")) == "skipped dispute_open");
            CHECK(world.entitlements(payments.user) == before);
            CHECK(post(world, payments.dispute(closed, status)) ==
                  (is_lost ? "applied" : "skipped dispute_not_lost"));
            if (!is_lost) CHECK(world.entitlements(payments.user) == before);
        }
    }
    CHECK(access_state::of(world, "a", "subscriber lost") == since("active", refunded_at));
    CHECK(access_state::of(world, "coins", "buyer lost") == since("expired", refunded_at));
    CHECK(text(world.entitlement("coins", "buyer lost"), "lastEventType") == closed);
}

TEST_CASE("a dispute that names only the charge is found by the charge of an old invoice", "[reversals]")
{
    World const world;
    Payments const ada{"ada"};
    REQUIRE(post(world, ada.created()) == "applied");
    REQUIRE(post(world, ada.invoice(5, 0, "in", {{"charge", "ch of " + ada.id("pi")}})) == "applied");
    auto lost = ada.dispute("charge.dispute.closed", "lost");
    lost["data"].at("object").as_object()["payment_intent"] = nullptr;
    CHECK(post(world, lost) == "applied");
    CHECK(access_state::of(world, "a") == since("active", refunded_at));
}

TEST_CASE("a dispute that names only the charge is found by an earlier partial refund", "[reversals]")
{
    World const world;
    add_coins(world);
    Payments const ada{"ada"};
    auto lost = ada.dispute("charge.dispute.closed", "lost");
    lost["data"].at("object").as_object()["payment_intent"] = nullptr;
    CHECK(post(world, lost) == "skipped unknown_charge");
    REQUIRE(post(world, ada.checkout()) == "applied");
    CHECK(access_state::of(world, "coins") == forever("active"));
    CHECK(post(world, ada.refund({{"amount_refunded", 1}, {"refunded", false}})) == "skipped partial_refund");
    CHECK(access_state::of(world, "coins") == since("expired", refunded_at));
}

TEST_CASE("a refund of an unknown charge is skipped until an event connects it", "[reversals]")
{
    World const world;
    add_coins(world);
    Payments const ada{"ada"}, bob{"bob"};
    CHECK(post(world, ada.refund()) == "skipped unknown_charge");
    CHECK(archived(world, "charge.refunded", ada.id("pi")) == "skipped unknown_charge null");
    CHECK(post(world, bob.checkout()) == "applied");
    CHECK(post(world, bob.refund({}, "other")) == "skipped unknown_charge");
    CHECK(access_state::of(world, "coins", "bob") == forever("active"));
    // A replay does not find a purchase either, and finds it later.
    auto const id = text(world.as_backend().get("/v1/events?limit=1").json().at("items").at(0), "eventId");
    auto const replayed = require(200, world.as_backend().post("/v1/events/" + id + "/replay", ""));
    CHECK(text(replayed.json(), "result") == "skipped");
    CHECK(post(world, ada.checkout()) == "applied");
    CHECK(access_state::of(world, "coins") == since("expired", refunded_at));
    CHECK(archived(world, "charge.refunded", ada.id("pi")) == "applied null ada");
    CHECK(archived(world, "charge.refunded", bob.id("other")) == "skipped unknown_charge null");
}

TEST_CASE("payments of different environments and tenants are separate", "[reversals]")
{
    World const world;
    add_coins(world);
    Payments const ada{"ada"};
    CHECK(post(world, ada.checkout()) == "applied");
    CHECK(post(world, ada.refund({{"livemode", true}})) == "skipped unknown_charge");
    CHECK(post(world, ada.refund(), "other-sandbox") == "skipped unknown_charge");
    CHECK(access_state::of(world, "coins") == forever("active"));
    CHECK(post(world, ada.refund()) == "applied");
}

TEST_CASE("webhooks report a refund", "[reversals]")
{
    World const world;
    add_coins(world);
    require(201, world.as_backend().post("/v1/webhooks", R"({"url":"http://127.0.0.1:9/"})"));
    Payments const ada{"ada"};
    REQUIRE(post(world, ada.checkout()) == "applied");
    REQUIRE(post(world, ada.refund()) == "applied");
    auto const sent = json::parse(world.postgres.query(
        "SELECT payload FROM webhook_deliveries ORDER BY created_at DESC, delivery_id DESC LIMIT 1"));
    CHECK(text(sent.at("data"), "from") == "active");
    CHECK(text(sent.at("data"), "to") == "expired");
    CHECK(access_state::of(sent.at("data").at("entitlement")) == since("expired", refunded_at));
}
