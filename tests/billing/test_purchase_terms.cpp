#include "access_state.hpp"
#include "reading.hpp"
#include "rules.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

// What an entitlement shows of its purchase: period, price, transaction and reasons.

using namespace reading;
using access_state::since;
using events::day, events::ms, events::rfc3339;
using rules::entitlement_after, rules::purchase;

TEST_CASE("an entitlement shows its trial only during the trial", "[purchase-terms]")
{
    auto const shown = [](std::vector<billing::Event> const& history) {
        auto const e = entitlement_after(history);
        return std::string(to_string(e.period_type.value())) + ' ' +
               (e.trial_ends_at ? rules::seconds_until(e.trial_ends_at) : "-");
    };
    auto const trial =
        purchase("INITIAL_PURCHASE", 0, {{"period_type", "TRIAL"}, {"expiration_at_ms", ms(7 * day)}});
    CHECK(shown({trial}) == "trial " + std::to_string(7 * day));
    CHECK(shown({trial, purchase("RENEWAL", 7 * day)}) == "normal -");
    CHECK(shown({trial, purchase("CANCELLATION", day,
                            {{"period_type", "TRIAL"}, {"expiration_at_ms", ms(7 * day)}})}) ==
          "trial " + std::to_string(7 * day));
    CHECK(shown({purchase("INITIAL_PURCHASE", 0, {{"period_type", "INTRO"}})}) == "intro -");
    CHECK(shown({purchase("INITIAL_PURCHASE", 0, {{"period_type", "PREPAID"}})}) == "normal -");
}

TEST_CASE("price, quantity, transaction and reason are those of the latest event that states them",
    "[purchase-terms]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE", {{"store", "PLAY_STORE"}, {"transaction_id", "GPA.1"}});
    happens(world, "RENEWAL",
        {{"event_timestamp_ms", ms(30 * day)}, {"expiration_at_ms", ms(60 * day)}, {"store", "PLAY_STORE"},
            {"transaction_id", "GPA.1..0"}, {"price_in_purchased_currency", 12.49}, {"currency", "usd"},
            {"quantity", 2}});
    auto e = world.entitlement("pro.monthly");
    CHECK(text(e, "store") == "PLAY_STORE");
    CHECK(text(e, "transactionId") == "GPA.1..0");
    CHECK(e.at("price") == json::object{{"amount", 1249}, {"currency", "USD"}});
    CHECK(e.at("quantity") == 2);
    CHECK(e.at("cancelReason").is_null());
    happens(world, "CANCELLATION",
        {{"event_timestamp_ms", ms(31 * day)}, {"expiration_at_ms", ms(60 * day)}, {"store", "PLAY_STORE"},
            {"transaction_id", "GPA.1..0"}, {"cancel_reason", "UNSUBSCRIBE"}});
    CHECK(text(world.entitlement("pro.monthly"), "cancelReason") == "UNSUBSCRIBE");
    happens(world, "UNCANCELLATION",
        {{"event_timestamp_ms", ms(32 * day)}, {"expiration_at_ms", ms(60 * day)}, {"store", "PLAY_STORE"}});
    CHECK(world.entitlement("pro.monthly").at("cancelReason").is_null());
    happens(world, "EXPIRATION",
        {{"event_timestamp_ms", ms(60 * day)}, {"expiration_at_ms", ms(60 * day)}, {"store", "PLAY_STORE"},
            {"expiration_reason", "BILLING_ERROR"}});
    CHECK(text(world.entitlement("pro.monthly"), "cancelReason") == "BILLING_ERROR");
}

TEST_CASE("the price is that of the purchase, although later events state none", "[purchase-terms]")
{
    // The provider states the price 0 in events without a payment, and a negative price in refunds.
    auto const price_after = [](std::vector<billing::Event> const& history) {
        auto const e = entitlement_after(history);
        return (e.price ? std::to_string(e.price->amount) + ' ' + e.price->currency : "none") +
               ", per month " + (e.monthly_amount ? std::to_string(*e.monthly_amount) : "none");
    };
    auto const bought = purchase("INITIAL_PURCHASE", 0, {{"purchased_at_ms", ms(0)}});
    CHECK(price_after({bought}) == "999 NZD, per month 999");
    for (auto const* type : {"CANCELLATION", "UNCANCELLATION", "BILLING_ISSUE", "SUBSCRIPTION_PAUSED",
             "SUBSCRIPTION_EXTENDED", "PRODUCT_CHANGE", "EXPIRATION"}) {
        CAPTURE(type);
        auto const event = purchase(type, 100,
            {{"price_in_purchased_currency", 0}, {"currency", "USD"}, {"purchased_at_ms", ms(0)},
                {"new_product_id", "pro.monthly"}});
        CHECK(price_after({bought, event}) == "999 NZD, per month 999");
        CHECK(price_after({event, bought}) == "999 NZD, per month 999");
    }
    auto const refund = purchase("CANCELLATION", 100,
        {{"price_in_purchased_currency", -9.99}, {"cancel_reason", "CUSTOMER_SUPPORT"},
            {"purchased_at_ms", ms(0)}});
    CHECK(price_after({bought, refund}) == "999 NZD, per month 999");
    auto const renewed = purchase("RENEWAL", 30 * day,
        {{"price_in_purchased_currency", 12.49}, {"purchased_at_ms", ms(30 * day)},
            {"expiration_at_ms", ms(60 * day)}});
    CHECK(price_after({bought, refund, renewed}) == "1249 NZD, per month 1249");
}

TEST_CASE("a row of the previous version keeps its state when older events arrive", "[purchase-terms]")
{
    World const world;
    happens(world, "RENEWAL", {{"event_timestamp_ms", ms(200)}, {"expiration_at_ms", ms(60 * day)}});
    happens(world, "CANCELLATION", {{"event_timestamp_ms", ms(300)}, {"expiration_at_ms", ms(60 * day)}});
    auto const before = access_state::of(world);
    // That version stored only the result of the last event.
    world.postgres.query("UPDATE entitlements SET lines = '[]', store = '', price_amount = NULL");
    for (std::string const type : {"EXPIRATION", "INITIAL_PURCHASE", "BILLING_ISSUE"}) {
        auto const late = events::purchase(type, {{"event_timestamp_ms", ms(100)}});
        REQUIRE(world.post_purchase(late).status == 200);
        CHECK(access_state::of(world) == before);
    }
    happens(world, "EXPIRATION", {{"event_timestamp_ms", ms(400)}, {"expiration_at_ms", ms(60 * day)}});
    CHECK(access_state::of(world) == since("expired", 400));
}
