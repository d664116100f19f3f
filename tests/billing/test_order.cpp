#include "core/text.hpp"
#include "order_histories.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

// A sequence of events leads to the same state in any order of arrival, and when it is read from the archive
// again.

namespace {

namespace json = boost::json;
using events::ms, events::s;
using order_histories::histories, order_histories::History, order_histories::ids_of, order_histories::Sent;

/// The entitlements of a user's ids as text, without ids and times of writing, so that the states of
/// different users can be compared.
std::string state_of(World const& world, std::string const& user)
{
    std::string all;
    for (auto const& id : ids_of(user)) {
        std::set<std::string> states;
        for (auto& entitlement : world.entitlements(id)) {
            auto& fields = entitlement.as_object();
            for (auto const* member :
                {"entitlementId", "userId", "productId", "transactionId", "createdAt", "updatedAt"})
                fields.erase(member);
            states.insert(json::serialize(fields));
        }
        for (auto const& state : states)
            all += state + '\n';
        all += "----\n";
    }
    return all;
}

/// Adds the product of the checkouts to the catalog.
void add_product(World const& world)
{
    require(201, world.as_backend("demo").post("/v1/products",
                     body({{"providerProductId", "coins"}, {"name", "Coins"}, {"kind", "consumable"}})));
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
        for (auto const& id : ids_of(user))
            all += json::serialize(world.entitlements(id)) + '\n';
    return all;
}

} // namespace

TEST_CASE("any permutation of a history ends in the same state", "[billing][order]")
{
    World const world;
    add_product(world);
    for (auto const& [name, history] : histories()) {
        std::string expected;
        for (auto const& user : post_all_orders(world, name, history)) {
            CAPTURE(user);
            auto const state = state_of(world, user);
            CHECK(state.find("lastEventType") != std::string::npos);
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
    add_product(world);
    add_product(told);
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
    add_product(world);
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
