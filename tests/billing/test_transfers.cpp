#include "access_state.hpp"
#include "core/text.hpp"
#include "reading.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

// Purchases and subscriptions that move to another user.

using namespace reading;
using access_state::since, access_state::until;
using events::day, events::ms, events::s;

namespace {

constexpr char const* anonymous = "$RCAnonymousID:8069238d6049";

/// An event of the anonymous id, which has no other ids yet.
json::object of_anonymous(std::string_view type, json::object changes = {})
{
    changes["app_user_id"] = changes["original_app_user_id"] = anonymous;
    changes["aliases"] = json::array{anonymous};
    return events::purchase(type, changes);
}

/// An event of ada, who was the anonymous id before.
json::object of_ada(std::string_view type, json::object changes = {})
{
    changes["original_app_user_id"] = anonymous;
    changes["aliases"] = json::array{anonymous, "ada"};
    return events::purchase(type, changes);
}

/// Everything that the events have left in the sandbox of `demo`, except the times of receipt.
std::string rows(World const& world)
{
    return world.postgres.query(R"(
        SELECT (
            SELECT json_agg(
                to_jsonb(e) - 'created_at' - 'updated_at' - 'revision' - 'access_revision'
                ORDER BY e.entitlement_id
            )
            FROM entitlements e
        )::text || (
            SELECT coalesce(json_agg(
                to_jsonb(p) - 'updated_at' - 'revision'
                ORDER BY p.subscription_id
            ), '[]')
            FROM payment_subscriptions p
        )::text)");
}

/// Deletes what `rows` shows, and the archive.
void forget(World const& world)
{
    world.postgres.query("DELETE FROM entitlements; DELETE FROM payment_subscriptions; DELETE FROM events; "
                         "DELETE FROM event_claims; DELETE FROM event_users; DELETE FROM payment_references");
}

/// Posts the events in every order. All orders must leave the same rows. Returns how many orders there are.
int post_all_orders(World const& world, std::vector<json::object> const& sent, bool are_payments)
{
    std::vector<std::size_t> order(sent.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::string expected;
    int count = 0;
    do {
        forget(world);
        std::string places;
        for (auto const place : order) {
            places += std::to_string(place);
            auto const r = are_payments ? world.post_payment(sent[place]) : world.post_purchase(sent[place]);
            REQUIRE(r.status == 200);
        }
        CAPTURE(places);
        auto const left = rows(world);
        if (expected.empty()) expected = left;
        CHECK(left == expected);
        ++count;
    } while (std::ranges::next_permutation(order).found);
    return count;
}

json::object owned_by(
    std::string const& user, std::string const& subscription, std::int64_t at, json::array items)
{
    return events::payment("customer.subscription.updated",
        events::subscription(
            std::move(items), {{"id", subscription}, {"metadata", json::object{{"userId", user}}}}),
        {{"created", s(at)}});
}

json::object owned_by(std::string const& user, std::string const& subscription, std::int64_t at)
{
    return owned_by(user, subscription, at, {events::item("a")});
}

} // namespace

TEST_CASE("an anonymous id loses its purchase when an event of the person arrives", "[transfers]")
{
    for (bool const reversed : {false, true}) {
        CAPTURE(reversed);
        World const world;
        auto const bought = of_anonymous("INITIAL_PURCHASE");
        auto const renewed = of_ada("RENEWAL", {{"event_timestamp_ms", ms(100)}});
        REQUIRE(world.post_purchase(reversed ? renewed : bought).status == 200);
        if (!reversed)
            CHECK(access_state::of(world, "pro.monthly", anonymous) == until("active", 30 * day + leeway));
        REQUIRE(world.post_purchase(reversed ? bought : renewed).status == 200);
        CHECK(access_state::of(world) == until("active", 30 * day + leeway));
        CHECK(access_state::of(world, "pro.monthly", anonymous) == since("expired", 100));
        CHECK(text(world.entitlement("pro.monthly", anonymous), "lastEventType") == "MOVED");
        // An older event that arrives late changes nothing.
        auto const late = of_anonymous("UNCANCELLATION", {{"event_timestamp_ms", ms(50)}});
        REQUIRE(world.post_purchase(late).status == 200);
        CHECK(access_state::of(world, "pro.monthly", anonymous) == since("expired", 100));
    }
}

TEST_CASE(
    "the events of an anonymous purchase and of the person leave the same rows in any order", "[transfers]")
{
    World const world;
    std::vector const subscription{of_anonymous("INITIAL_PURCHASE"),
        of_anonymous("CANCELLATION", {{"event_timestamp_ms", ms(50)}}),
        of_ada("UNCANCELLATION", {{"event_timestamp_ms", ms(100)}}),
        of_ada("RENEWAL", {{"event_timestamp_ms", ms(200)}, {"expiration_at_ms", ms(60 * day)}})};
    CHECK(post_all_orders(world, subscription, false) == 24);
    CHECK(access_state::of(world, "pro.monthly", anonymous) == since("expired", 200));

    json::object const coins{
        {"product_id", "coins"}, {"transaction_id", "T1"}, {"expiration_at_ms", nullptr}};
    std::vector const consumable{of_anonymous("NON_RENEWING_PURCHASE", coins),
        of_ada("CANCELLATION", events::changed(coins, {{"event_timestamp_ms", ms(100)}})),
        of_anonymous("NON_RENEWING_PURCHASE", events::changed(coins, {{"transaction_id", "T2"}}))};
    CHECK(post_all_orders(world, consumable, false) == 6);
    CHECK(access_state::of(world, "coins") == since("expired", 100));
    for (auto const& e : world.entitlements(anonymous))
        CHECK(e.at("isActive") == (text(e, "transactionId") == "T2"));
}

TEST_CASE(
    "an alias that is a person keeps the purchase, and so does a purchase in another store", "[transfers]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE", {{"app_user_id", "bob"}});
    happens(world, "INITIAL_PURCHASE", {{"app_user_id", anonymous}, {"store", "PLAY_STORE"}});
    happens(world, "RENEWAL",
        {{"event_timestamp_ms", ms(100)}, {"aliases", json::array{anonymous, "bob"}},
            {"store", "APP_STORE"}});
    CHECK(access_state::of(world, "pro.monthly", "bob") == until("active", 30 * day + leeway));
    CHECK(access_state::of(world, "pro.monthly", anonymous) == until("active", 30 * day + leeway));
    // An anonymous id takes nothing from another one.
    happens(world, "RENEWAL",
        {{"app_user_id", "$RCAnonymousID:2"}, {"event_timestamp_ms", ms(200)},
            {"aliases", json::array{anonymous}}, {"store", "PLAY_STORE"}});
    CHECK(access_state::of(world, "pro.monthly", anonymous) == until("active", 30 * day + leeway));
}

TEST_CASE(
    "a transfer is archived under every user that it names, and changes nothing by itself", "[transfers]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE");
    auto const before = world.entitlements();
    json::object const transfer{{"api_version", "1.0"},
        {"event", json::object{{"id", "moved"}, {"type", "TRANSFER"}, {"event_timestamp_ms", ms(100)},
                      {"environment", "SANDBOX"}, {"store", "APP_STORE"},
                      {"transferred_from", json::array{"ada", "$RCAnonymousID:1"}},
                      {"transferred_to", json::array{"bob", "carol"}}}}};
    CHECK(result_of(world.post_purchase(transfer)) == "skipped handled_by_sdk_login");
    CHECK(world.entitlements() == before);
    CHECK(world.entitlements("bob").empty());
    auto backend = world.as_backend();
    for (std::string const user : {"ada", "%24RCAnonymousID%3A1", "bob", "carol"}) {
        auto const found = all_items(backend, "/v1/events?type=TRANSFER&userId=" + user);
        REQUIRE(found.size() == 1);
        CHECK(text(found[0], "eventId") == "moved");
    }
    CHECK(all_items(backend, "/v1/events?type=TRANSFER&userId=dave").empty());
}

TEST_CASE(
    "an event of an unknown type is skipped, and archived under every user that it names", "[transfers]")
{
    World const world;
    auto const sent = events::purchase(
        "A_NEW_TYPE", {{"id", "new"}, {"app_user_id", "ada"}, {"original_app_user_id", "bob"},
                          {"aliases", json::array{anonymous, "carol"}}});
    CHECK(result_of(world.post_purchase(sent)) == "skipped unhandled_type");
    CHECK(world.entitlements().empty());
    auto backend = world.as_backend();
    for (std::string const user : {"ada", "bob", "carol", anonymous}) {
        CAPTURE(user);
        auto const found = all_items(backend, "/v1/events?userId=" + core::percent_encode(user));
        REQUIRE(found.size() == 1);
        CHECK(text(found[0], "eventId") == "new");
        CHECK(text(found[0], "result") == "skipped");
    }
}

TEST_CASE("a subscription that changes its user moves access at that event", "[transfers]")
{
    World const world;
    for (bool const reversed : {false, true}) {
        std::string const suffix = reversed ? " reversed" : "";
        CAPTURE(reversed);
        auto const first = owned_by("ada" + suffix, "sub" + suffix, 0),
                   second = owned_by("bob" + suffix, "sub" + suffix, 100);
        REQUIRE(world.post_payment(reversed ? second : first).status == 200);
        REQUIRE(world.post_payment(reversed ? first : second).status == 200);
        CHECK(access_state::of(world, "a", "ada" + suffix) == since("expired", 100));
        CHECK(
            text(world.entitlement("a", "ada" + suffix), "lastEventType") == "customer.subscription.updated");
        CHECK(access_state::of(world, "a", "bob" + suffix) == until("active", 30 * day + leeway));
    }
    // The subscription moves back.
    REQUIRE(result_of(world.post_payment(owned_by("ada", "sub", 200))) == "applied");
    CHECK(access_state::of(world, "a", "ada") == until("active", 30 * day + leeway));
    CHECK(access_state::of(world, "a", "bob") == since("expired", 200));
    // Later events of the subscription reach the former user's entitlement no more.
    REQUIRE(result_of(world.post_payment(owned_by("ada", "sub", 300))) == "applied");
    CHECK(access_state::of(world, "a", "bob") == since("expired", 200));
}

TEST_CASE(
    "subscriptions that change their users leave the same rows in any order of the events", "[transfers]")
{
    World const world;
    // ada's subscription moves to bob, and ada has another one.
    std::vector const moves{owned_by("ada", "s1", 0), owned_by("bob", "s1", 10), owned_by("ada", "s2", 5)};
    CHECK(post_all_orders(world, moves, true) == 6);
    CHECK(access_state::of(world, "a", "ada") == until("active", 30 * day + leeway));
    CHECK(access_state::of(world, "a", "bob") == until("active", 30 * day + leeway));

    // Two subscriptions change places.
    std::vector const swap{owned_by("ada", "s1", 0), owned_by("bob", "s2", 0), owned_by("bob", "s1", 10),
        owned_by("ada", "s2", 20)};
    CHECK(post_all_orders(world, swap, true) == 24);

    // A subscription moves on, and back, and its items change meanwhile.
    json::array const both{events::item("a"), events::item("b")};
    std::vector const travels{owned_by("ada", "s1", 0, both), owned_by("bob", "s1", 10),
        owned_by("carol", "s1", 20, both), owned_by("ada", "s1", 30)};
    CHECK(post_all_orders(world, travels, true) == 24);
    CHECK(access_state::of(world, "a", "ada") == until("active", 30 * day + leeway));
    CHECK(access_state::of(world, "b", "ada") == since("expired", 10));
    CHECK(access_state::of(world, "a", "bob") == since("expired", 20));
    CHECK(access_state::of(world, "b", "carol") == since("expired", 30));

    // One subscription of ada ends, and the other one moves to bob.
    auto const ended = events::payment("customer.subscription.deleted",
        events::subscription(
            {events::item("a")}, {{"id", "s1"}, {"metadata", json::object{{"userId", "ada"}}},
                                     {"status", "canceled"}, {"ended_at", s(10)}}),
        {{"created", s(10)}});
    std::vector const ends_and_moves{ended, owned_by("ada", "s2", 0), owned_by("bob", "s2", 20)};
    CHECK(post_all_orders(world, ends_and_moves, true) == 6);
    CHECK(access_state::of(world, "a", "ada") == since("expired", 20));
    CHECK(access_state::of(world, "a", "bob") == until("active", 30 * day + leeway));

    // An invoice and the end of a subscription that has moved.
    auto const deleted = events::payment("customer.subscription.deleted",
        events::subscription(
            {events::item("a")}, {{"id", "s1"}, {"metadata", json::object{{"userId", "bob"}}},
                                     {"status", "canceled"}, {"ended_at", s(40)}}),
        {{"created", s(40)}});
    json::object const parent{
        {"type", "subscription_details"}, {"subscription_details", json::object{{"subscription", "s1"}}}};
    std::vector const ends{owned_by("ada", "s1", 0), owned_by("bob", "s1", 10),
        events::payment("invoice.paid", events::invoice("a", {{"parent", parent}}), {{"created", s(20)}}),
        deleted};
    CHECK(post_all_orders(world, ends, true) == 24);
    CHECK(access_state::of(world, "a", "ada") == since("expired", 10));
    CHECK(access_state::of(world, "a", "bob") == since("expired", 40));
}
