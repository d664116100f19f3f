#include "erasing.hpp"
#include "support/user_markers.hpp"
#include "syncing.hpp"

#include <algorithm>

using namespace erasing;

// Events about a payment that name no user. They are about the user whose payment it is.

namespace {

constexpr char const* user = "ada";
constexpr char const* marker =
    "mArKeR"; // in the ids of the payments, and in what the events state about the payer

std::string with_marker(std::string_view prefix)
{
    return std::string(prefix) + marker;
}

json::object about(std::string_view type, json::object object, std::int64_t seconds)
{
    return events::payment(type, std::move(object), {{"created", events::s(seconds)}});
}

/// The payment of the invoice, with the ids of both.
json::object invoice_payment(std::int64_t seconds)
{
    return about("invoice_payment.paid",
        events::invoice_payment({{"id", with_marker("inpay")}, {"invoice", with_marker("in")},
            {"payment", json::object{{"type", "payment_intent"}, {"payment_intent", with_marker("pi")}}}}),
        seconds);
}

/// The paid invoice of the first month.
json::object invoice(std::int64_t seconds)
{
    auto object = events::old_invoice("a", {{"id", with_marker("in")}});
    object.at("lines").at("data").at(0).as_object()["period"] =
        json::object{{"start", events::s(0)}, {"end", events::s(30 * events::day)}};
    return about("invoice.paid", std::move(object), seconds);
}

json::object refund(std::int64_t seconds)
{
    return about("charge.refunded",
        events::refunded_charge({{"id", with_marker("ch")}, {"payment_intent", with_marker("pi")},
            {"billing_details", json::object{{"email", with_marker("me@")}}}}),
        seconds);
}

json::object dispute(std::int64_t seconds)
{
    return about("charge.dispute.closed",
        events::dispute("lost", {{"id", with_marker("du")}, {"charge", with_marker("ch")},
                                    {"payment_intent", with_marker("pi")}}),
        seconds);
}

/// Events that change nothing, but contain data of the payer.
std::vector<json::object> without_effect()
{
    json::object const payer{{"email", with_marker("me@")}, {"name", with_marker("Name ")}};
    return {about("charge.refunded",
                events::charge({{"id", with_marker("ch")}, {"payment_intent", with_marker("pi")},
                    {"amount_refunded", 5}, {"billing_details", payer}}),
                4),
        about("charge.dispute.created",
            events::dispute("needs_response",
                {{"id", with_marker("du")}, {"charge", with_marker("ch")}, {"evidence", payer}}),
            4)};
}

/// The types of the archived events that are not erased.
std::string kept(World const& world)
{
    std::vector<std::string> types;
    for (auto const& event : archive(world))
        if (!is_erased(event)) types.push_back(text(event, "type") + '\n');
    std::ranges::sort(types);
    std::string all;
    for (auto const& type : types)
        all += type;
    return all;
}

} // namespace

TEST_CASE("an erasure erases all events about the user's payments", "[erasure]")
{
    for (bool const deleted : {false, true}) {
        CAPTURE(deleted);
        World const world;
        REQUIRE(result_of(world.post_payment(subscribed(user, 1))) == "applied");
        REQUIRE(result_of(world.post_payment(refund(4))) == "skipped unknown_charge");
        REQUIRE(world.post_payment(invoice_payment(3)).status == 200);
        REQUIRE(result_of(world.post_payment(invoice(2))) == "applied");
        REQUIRE(result_of(world.post_payment(dispute(5))) == "applied");
        for (auto const& event : without_effect())
            REQUIRE(result_of(world.post_payment(event)).starts_with("skipped "));
        CHECK(world.entitlement("a").at("isActive") == false);
        CHECK(count(world, "events WHERE user_id IS NULL") == "3"); // one of them is the invoice_payment
        REQUIRE(result_of(world.post_payment(about("charge.refunded",
                    events::refunded_charge({{"id", "ch_other"}, {"payment_intent", "pi_other"}}), 6))) ==
                "skipped unknown_charge");

        require(200, deleted ? delete_account(world, user) : erase(world, user));

        CHECK(testing::find_marker(world.postgres, marker).empty());
        CHECK(kept(world) == "charge.refunded\n"); // of the other payment
        CHECK(count(world, "payment_references WHERE reference NOT LIKE '%other'") == "0");
    }
}

TEST_CASE(
    "an erasure erases the link between the user's payments that the provider's API has stated", "[erasure]")
{
    PaymentsProvider const provider;
    World const world(options_for(provider));
    set_payments_key(world);
    provider.has_invoice_payments(
        {json::object{{"invoice", with_marker("in")}, {"payment_intent", with_marker("pi")}}});
    REQUIRE(result_of(world.post_payment(subscribed(user, 1))) == "applied");
    REQUIRE(result_of(world.post_payment(invoice(2))) == "applied");
    REQUIRE(result_of(world.post_payment(refund(3))) == "applied");
    CHECK(world.entitlement("a").at("isActive") == false);
    REQUIRE(count(world, "events WHERE type = 'LINK'") == "1");

    require(200, erase(world, user));

    CHECK(testing::find_marker(world.postgres, marker).empty());
    CHECK(kept(world).empty());
    CHECK(count(world, "payment_references") == "0");
}

TEST_CASE("later events about the payments of a deleted account are archived without the user", "[erasure]")
{
    World const world;
    REQUIRE(result_of(world.post_payment(subscribed(user, 1))) == "applied");
    REQUIRE(result_of(world.post_payment(invoice(2))) == "applied");
    REQUIRE(world.post_payment(invoice_payment(3)).status == 200);
    require(200, delete_account(world, user));
    CHECK(result_of(world.post_payment(refund(4))) == "skipped user_erased");
    CHECK(result_of(world.post_payment(dispute(5))) == "skipped user_erased");
    CHECK(result_of(world.post_payment(invoice(6))) == "skipped user_erased");
    for (auto const& event : without_effect())
        CHECK(result_of(world.post_payment(event)) == "skipped user_erased");
    CHECK(kept(world).empty());
    CHECK(count(world, "payment_references") == "0");
    CHECK(count(world, "events WHERE payload LIKE '%@%'") == "0");
}
