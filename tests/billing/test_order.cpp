#include "core/text.hpp"
#include "events.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <vector>

// A sequence of events leads to the same state in any order of arrival, and when it is read from the archive
// again.

namespace {

using events::day, events::ms, events::s, events::undefined;
namespace json = boost::json;

/// An event, and whether the payments provider sent it.
struct Sent {
    bool payment = false;
    json::object event;
};

/// A history: the events of one user and one subscription.
using History = std::function<std::vector<Sent>(std::string const& user, std::string const& subscription)>;

Sent bought(std::string_view type, std::string const& user, std::int64_t at, json::object changes)
{
    changes["app_user_id"] = user;
    changes["event_timestamp_ms"] = ms(at);
    return {false, events::purchase(type, changes)};
}

Sent subscription_event(std::string_view type, std::string const& user, std::string const& subscription,
    std::int64_t at, json::array items, json::object changes = {})
{
    changes["id"] = subscription;
    changes["metadata"] = json::object{{"userId", user}};
    return {
        true, events::payment(type, events::subscription(std::move(items), changes), {{"created", s(at)}})};
}

Sent paid(std::string const& price, std::string const& subscription, std::int64_t at, bool old_shape)
{
    json::object const parent{{"type", "subscription_details"},
        {"subscription_details", json::object{{"subscription", subscription}}}};
    auto const object = old_shape ? events::old_invoice(price, {{"subscription", subscription}})
                                  : events::invoice(price, {{"parent", parent}});
    return {true, events::payment("invoice.paid", object, {{"created", s(at)}})};
}

std::map<std::string, History> const& histories()
{
    static std::map<std::string, History> const all{
        {"a subscription's life",
            [](std::string const& user, std::string const&) {
                return std::vector{bought("INITIAL_PURCHASE", user, 0, {}),
                    bought("RENEWAL", user, 10, {{"expiration_at_ms", ms(60 * day)}}),
                    bought("CANCELLATION", user, 20, {{"expiration_at_ms", ms(60 * day)}}),
                    bought("UNCANCELLATION", user, 30, {{"expiration_at_ms", ms(60 * day)}}),
                    bought("EXPIRATION", user, 40, {{"expiration_at_ms", ms(35)}})};
            }},
        {"ties",
            [](std::string const& user, std::string const&) {
                return std::vector{bought("RENEWAL", user, 5, {{"id", user + "-1"}}),
                    bought("BILLING_ISSUE", user, 5, {{"id", user + "-2"}}),
                    bought("CANCELLATION", user, 5, {{"id", user + "-3"}}),
                    bought("BILLING_ISSUE", user, 5, {{"id", user + "-4"}, {"expiration_at_ms", ms(50)}})};
            }},
        {"a product change",
            [](std::string const& user, std::string const&) {
                return std::vector{bought("INITIAL_PURCHASE", user, 0, {}),
                    bought("PRODUCT_CHANGE", user, 10, {{"new_product_id", "pro.yearly"}}),
                    bought("RENEWAL", user, 20,
                        {{"product_id", "pro.yearly"}, {"expiration_at_ms", ms(365 * day)}}),
                    bought("EXPIRATION", user, 30, {})};
            }},
        {"consumables, one of them refunded",
            [](std::string const& user, std::string const&) {
                json::object const first{
                    {"product_id", "coins"}, {"transaction_id", "T1"}, {"expiration_at_ms", nullptr}};
                json::object second = first, third = first;
                second["transaction_id"] = "T2";
                third["transaction_id"] = undefined;
                third["id"] = user + "-third";
                return std::vector{bought("NON_RENEWING_PURCHASE", user, 0, first),
                    bought("NON_RENEWING_PURCHASE", user, 5, second), bought("CANCELLATION", user, 10, first),
                    bought("CANCELLATION", user, 11, second),
                    bought("NON_RENEWING_PURCHASE", user, 12, third)};
            }},
        {"a checkout within one second",
            [](std::string const& user, std::string const& subscription) {
                return std::vector{subscription_event("customer.subscription.created", user, subscription, 0,
                                       {events::item("a")}, {{"status", "incomplete"}}),
                    subscription_event(
                        "customer.subscription.updated", user, subscription, 0, {events::item("a")}),
                    paid("a", subscription, 0, false)};
            }},
        {"items swapped, and the end",
            [](std::string const& user, std::string const& subscription) {
                return std::vector{subscription_event("customer.subscription.created", user, subscription, 0,
                                       {events::item("a"), events::item("b")}),
                    subscription_event("customer.subscription.updated", user, subscription, 10,
                        {events::item("b"), events::item("c")}),
                    paid("b", subscription, 15, true),
                    subscription_event("customer.subscription.updated", user, subscription, 20,
                        {events::item("c")}, {{"status", "past_due"}}),
                    subscription_event("customer.subscription.deleted", user, subscription, 30,
                        {events::item("c")}, {{"status", "canceled"}, {"ended_at", s(29)}})};
            }},
        {"dunning",
            [](std::string const& user, std::string const& subscription) {
                return std::vector{subscription_event("customer.subscription.created", user, subscription, 0,
                                       {events::item("a")}),
                    paid("a", subscription, 10, true),
                    subscription_event("customer.subscription.updated", user, subscription, 20,
                        {events::item("a")}, {{"status", "past_due"}}),
                    paid("a", subscription, 30, false)};
            }},
        {"two subscriptions with one product",
            [](std::string const& user, std::string const& subscription) {
                return std::vector{subscription_event("customer.subscription.created", user, subscription, 0,
                                       {events::item("a")}),
                    subscription_event("customer.subscription.created", user, subscription + "-2", 5,
                        {events::item("a", {{"current_period_end", s(90 * day)}}), events::item("b")}),
                    subscription_event(
                        "customer.subscription.updated", user, subscription, 10, {events::item("b")}),
                    subscription_event("customer.subscription.deleted", user, subscription + "-2", 20,
                        {events::item("a")}, {{"status", "canceled"}, {"ended_at", s(19)}})};
            }},
        {"a subscription that finds its user",
            [](std::string const& user, std::string const& subscription) {
                return std::vector{subscription_event("customer.subscription.created", "", subscription, 0,
                                       {events::item("a")}),
                    paid("a", subscription, 5, false),
                    subscription_event(
                        "customer.subscription.updated", user, subscription, 10, {events::item("a")})};
            }},
    };
    return all;
}

/// A user's entitlements as text, without ids and times of writing, so that the states of different users can
/// be compared.
std::string state_of(World const& world, std::string const& user)
{
    std::set<std::string> states;
    for (auto& entitlement : world.entitlements(user)) {
        auto& fields = entitlement.as_object();
        for (auto const* member : {"entitlementId", "userId", "createdAt", "updatedAt"})
            fields.erase(member);
        states.insert(json::serialize(fields));
    }
    std::string all;
    for (auto const& state : states)
        all += state + '\n';
    return all;
}

void post(World const& world, Sent const& sent)
{
    auto const r = sent.payment ? world.post_payment(sent.event) : world.post_purchase(sent.event);
    INFO(r.body);
    REQUIRE(r.status == 200);
}

/// All orders of `count` events, as indexes. For more than four events, a hundred random orders.
std::vector<std::vector<std::size_t>> orders(std::size_t count)
{
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i)
        order[i] = i;
    std::vector<std::vector<std::size_t>> all;
    do
        all.push_back(order);
    while (std::ranges::next_permutation(order).found);
    if (count > 4) {
        std::ranges::shuffle(
            all, std::mt19937(20260101)); // NOLINT(bugprone-random-generator-seed): reproducible
        all.resize(100);
    }
    return all;
}

/// Posts a history in every order that `orders` returns, each time for a different user. Returns the users.
std::vector<std::string> post_all_orders(World const& world, std::string const& name, History const& history)
{
    std::vector<std::string> users;
    auto const count = history("", "").size();
    for (auto const& order : orders(count)) {
        auto const user = name + ' ' + std::to_string(users.size());
        auto const sent = history(user, "sub " + user);
        for (auto const place : order)
            post(world, sent[place]);
        users.push_back(user);
    }
    return users;
}

/// Deletes everything that events have created in the sandbox of `demo`, except the archive.
void forget(World const& world)
{
    auto const scope = world.scope_id();
    world.postgres.query("DELETE FROM entitlements WHERE scope_id = " + scope +
                         "; DELETE FROM payment_subscriptions WHERE scope_id = " + scope);
}

std::string everything(World const& world, std::vector<std::string> const& users)
{
    std::string all;
    for (auto const& user : users)
        all += json::serialize(world.entitlements(user)) + '\n';
    return all;
}

} // namespace

TEST_CASE("any permutation of a history ends in the same state", "[billing][order]")
{
    World const world;
    for (auto const& [name, history] : histories()) {
        std::string expected;
        for (auto const& user : post_all_orders(world, name, history)) {
            CAPTURE(user);
            auto const state = state_of(world, user);
            CHECK(state != "");
            if (expected.empty()) expected = state;
            CHECK(state == expected);
        }
    }
}

TEST_CASE("a reversed history ends in the same state if webhooks exist", "[billing][order]")
{
    // In a scope with a webhook, each event has its own transaction instead of one statement for many events.
    World const world, told;
    REQUIRE(told.as_backend().post("/v1/webhooks", R"({"url":"http://127.0.0.1:9/"})").status == 201);
    for (auto const& [name, history] : histories()) {
        auto const in_order = history("in order", "sub in order " + name);
        for (auto const& sent : in_order)
            post(world, sent);
        auto reversed = history("in order", "sub in order " + name);
        std::ranges::reverse(reversed);
        for (auto const& sent : reversed)
            post(told, sent);
    }
    CHECK(state_of(told, "in order") == state_of(world, "in order"));
}

TEST_CASE("replaying the archive into an empty scope gives the same entitlements, byte for byte",
    "[billing][order]")
{
    World const world;
    std::vector<std::string> users;
    for (auto const& [name, history] : histories()) {
        auto order = orders(history("", "").size());
        for (auto const& places : {order.front(), order.back(), order[order.size() / 2]}) {
            auto const user = name + ' ' + std::to_string(users.size());
            auto const sent = history(user, "sub " + user);
            for (auto const place : places)
                post(world, sent[place]);
            users.push_back(user);
        }
    }
    auto const expected = everything(world, users);
    auto backend = world.as_backend();
    auto archived = all_items(backend, "/v1/events");
    REQUIRE(archived.size() > users.size());

    auto const replay_all = [&] {
        for (auto const& event : archived) {
            auto const r =
                backend.post("/v1/events/" + core::percent_encode(text(event, "eventId")) + "/replay", "");
            INFO(r.body);
            REQUIRE(r.status == 200);
        }
    };
    forget(world);
    CHECK(world.entitlements(users.front()).empty());
    replay_all(); // newest first
    CHECK(everything(world, users) == expected);

    forget(world);
    std::ranges::reverse(archived);
    replay_all();
    CHECK(everything(world, users) == expected);

    // Replays once more, when no entitlement is missing.
    replay_all();
    CHECK(everything(world, users) == expected);
}

TEST_CASE(
    "an event that is older than the last applied event is stale and changes nothing", "[billing][order]")
{
    World const world;
    CHECK(result_of(world.post_purchase(events::purchase("EXPIRATION", {{"event_timestamp_ms", ms(100)}}))) ==
          "applied");
    auto const before = world.entitlements();
    CHECK(result_of(world.post_purchase(events::purchase("RENEWAL", {{"event_timestamp_ms", ms(99)}}))) ==
          "stale");
    CHECK(result_of(world.post_purchase(events::purchase("RENEWAL", {{"event_timestamp_ms", ms(100)}}))) ==
          "stale");
    CHECK(world.entitlements() == before);
    auto const updated = [](std::int64_t created, std::string_view status) {
        return events::payment("customer.subscription.updated",
            events::subscription({events::item("a")}, {{"status", status}}), {{"created", s(created)}});
    };
    CHECK(result_of(world.post_payment(updated(100, "active"))) == "applied");
    auto const after = world.entitlements();
    CHECK(result_of(world.post_payment(updated(99, "past_due"))) == "stale");
    CHECK(result_of(world.post_payment(
              events::payment("invoice.paid", events::invoice("a"), {{"created", s(99)}}))) == "stale");
    CHECK(world.entitlements() == after);
    auto backend = world.as_backend();
    CHECK(all_items(backend, "/v1/events?result=stale").size() == 4);
}

TEST_CASE("events of one source do not change entitlements of another source", "[billing][order]")
{
    World const world;
    CHECK(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE", {{"product_id", "same"}}))) ==
          "applied");
    CHECK(result_of(world.post_payment(events::payment(
              "customer.subscription.created", events::subscription({events::item("same")})))) == "applied");
    REQUIRE(world.entitlements().size() == 2);
    CHECK(result_of(world.post_payment(events::payment("customer.subscription.deleted",
              events::subscription({events::item("same")}, {{"status", "canceled"}, {"ended_at", s(5)}}),
              {{"created", s(5)}}))) == "applied");
    for (auto const& entitlement : world.entitlements())
        CHECK(text(entitlement, "status") ==
              (text(entitlement, "source") == "purchases" ? "active" : "expired"));
}
