#include "access_state.hpp"
#include "payment_events.hpp"
#include "reading.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

// Products that are paid once, through a checkout of the payments provider.

using namespace payment_events;
using namespace reading;
using access_state::forever, access_state::since;
using events::rfc3339;

TEST_CASE("a checkout that is paid once gives access without end", "[checkouts]")
{
    World const world;
    add_coins(world);
    auto const pro = new_product(world, "pro.forever", {"export"}, {{"kind", "lifetime"}});
    Payments const ada{"ada"};
    auto const buy = [&](std::string const& product) {
        return ada.checkout({{"id", "cs of " + product}, {"payment_intent", "pi of " + product},
            {"metadata", json::object{{"userId", "ada"}, {"productId", product}}}});
    };
    CHECK(post(world, buy("coins")) == "applied"); // the provider's id
    CHECK(post(world, buy(pro)) == "applied");     // the catalog's id
    auto const e = world.entitlement("pro.forever");
    CHECK(access_state::of(e) == forever("active"));
    CHECK(text(e, "source") == "payments");
    CHECK(text(e, "productId") == pro);
    CHECK(text(e, "store") == "STRIPE");
    CHECK(text(e, "transactionId") == "pi of " + pro);
    CHECK(e.at("price") == json::object{{"amount", 4900}, {"currency", "NZD"}});
    CHECK(e.at("quantity") == 1);
    CHECK(text(e, "purchasedAt") == rfc3339(0));
    CHECK(e.at("expiresAt").is_null());
    CHECK(e.at("willRenew") == false);
    CHECK(text(e, "lastEventType") == "checkout.session.completed");
    CHECK(feature(world, "export") == granted("null"));
    CHECK(access_state::of(world, "coins") == forever("active"));
}

TEST_CASE("a checkout of a subscription, an unknown product or no user is skipped", "[checkouts]")
{
    World const world;
    add_coins(world);
    new_product(world, "monthly", {}, {{"kind", "subscription"}});
    Payments const ada{"ada"};
    auto const of = [&](json::object const& metadata, json::object const& changes = {}) {
        auto fields = events::changed(changes, {{"metadata", metadata}});
        return post(world, ada.checkout(fields));
    };
    CHECK(of({{"userId", "ada"}, {"productId", "monthly"}}) == "skipped subscription_product");
    CHECK(of({{"userId", "ada"}, {"productId", "unheard-of"}}) == "skipped unknown_product");
    CHECK(of({{"userId", "ada"}, {"productId", core::Uuid::v7().to_string()}}) == "skipped unknown_product");
    CHECK(of({{"productId", "coins"}}) == "skipped no_user");
    CHECK(of({{"userId", "ada"}}) == "skipped no_product");
    CHECK(of({{"userId", "ada"}, {"productId", "coins"}}, {{"mode", "subscription"}}) ==
          "skipped not_a_payment");
    CHECK(world.entitlements().empty());
}

TEST_CASE("a checkout that needs no payment is found by its session", "[checkouts]")
{
    World const world;
    add_coins(world);
    Payments const ada{"ada"};
    json::object const free{
        {"payment_intent", nullptr}, {"payment_status", "no_payment_required"}, {"amount_total", 0}};
    CHECK(post(world, ada.checkout(free)) == "applied");
    auto const e = world.entitlement("coins");
    CHECK(access_state::of(e) == forever("active"));
    CHECK(text(e, "transactionId") == ada.id("cs"));
    CHECK(e.at("price") == json::object{{"amount", 0}, {"currency", "NZD"}});
}

TEST_CASE("a checkout with a slow payment gives access when the payment has succeeded", "[checkouts]")
{
    World const world;
    add_coins(world);
    Payments const ada{"ada"}, bob{"bob"};
    json::object const unpaid{{"payment_status", "unpaid"}};
    constexpr auto succeeded = "checkout.session.async_payment_succeeded";
    CHECK(post(world, ada.checkout(unpaid)) == "skipped not_paid");
    CHECK(world.entitlements().empty());
    CHECK(post(world, ada.checkout({}, "checkout.session.async_payment_failed")) == "skipped unhandled_type");
    CHECK(world.entitlements().empty());
    CHECK(post(world, ada.checkout({}, succeeded)) == "applied");
    CHECK(access_state::of(world, "coins") == forever("active"));
    CHECK(text(world.entitlement("coins"), "lastEventType") == succeeded);
    // The other order.
    CHECK(post(world, bob.checkout({}, succeeded)) == "applied");
    CHECK(post(world, bob.checkout(unpaid)) == "skipped not_paid");
    CHECK(access_state::of(world, "coins", "bob") == forever("active"));
    CHECK(world.entitlements("bob").size() == 1);
}

TEST_CASE("a refund of a checkout ends its purchase and no other, in any order of the events", "[checkouts]")
{
    World const world;
    add_coins(world);
    in_all_orders(
        [](Payments const& p) {
            auto const other = p.checkout({{"id", p.id("cs 2")}, {"payment_intent", p.id("pi 2")}});
            return std::vector{p.checkout(), other, p.refund()};
        },
        [&](Payments const& p, std::vector<json::object> const& sent) {
            CAPTURE(p.user);
            for (auto const& event : sent)
                REQUIRE(world.post_payment(event).status == 200);
            auto const all = world.entitlements(p.user);
            REQUIRE(all.size() == 2);
            for (auto const& e : all) {
                bool const is_refunded = text(e, "transactionId") == p.id("pi");
                CHECK(
                    access_state::of(e) == (is_refunded ? since("expired", refunded_at) : forever("active")));
                CHECK(text(e, "expiresAt") == (is_refunded ? rfc3339(refunded_at) : "null"));
            }
            CHECK(archived(world, "charge.refunded", p.id("pi")) == "applied null " + p.user);
        });
}

TEST_CASE("a checkout that is applied by a replay can be refunded", "[checkouts]")
{
    World const world;
    Payments const ada{"ada"};
    auto bought = ada.checkout();
    bought["id"] = "bought";
    CHECK(post(world, bought) == "skipped unknown_product");
    add_coins(world);
    auto const replayed = require(200, world.as_backend().post("/v1/events/bought/replay", ""));
    CHECK(text(replayed.json(), "result") == "applied");
    CHECK(access_state::of(world, "coins") == forever("active"));
    CHECK(post(world, ada.refund()) == "applied");
    CHECK(access_state::of(world, "coins") == since("expired", refunded_at));
}
