#include "access_state.hpp"
#include "reading.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

// When a user has access by subscriptions of the payments provider.

using namespace reading;
using access_state::since, access_state::until;
using events::day, events::item, events::rfc3339, events::s, events::undefined;

namespace {

constexpr char const* created = "customer.subscription.created";
constexpr char const* updated = "customer.subscription.updated";
constexpr char const* deleted = "customer.subscription.deleted";

/// An event about a subscription or an invoice, `at` seconds after the start.
json::object about(std::string_view type, json::object const& object, std::int64_t at)
{
    return events::payment(type, object, {{"created", s(at)}});
}

/// Posts an event, which must be applied.
void happens(World const& world, json::object const& event)
{
    INFO(body(event));
    REQUIRE(result_of(world.post_payment(event)) == "applied");
}

/// A subscription of a user to the prices `a` and `b`.
json::object subscription_of(std::string const& user, json::object changes = {})
{
    changes["id"] = "sub of " + user;
    changes["metadata"] = json::object{{"userId", user}};
    return events::subscription({item("a"), item("b")}, changes);
}

/// A paid invoice of the user's subscription for the second month of these prices.
json::object invoice_of(
    std::string const& user, std::string const& id, std::vector<std::string> const& prices)
{
    json::array lines;
    for (auto const& price : prices)
        lines.push_back(events::invoice_line(price));
    json::object const parent{{"type", "subscription_details"},
        {"subscription_details", json::object{{"subscription", "sub of " + user}}}};
    return events::invoice("", {{"id", id}, {"parent", parent}, {"lines", events::list(std::move(lines))}});
}

/// An update of the status that tells the status before it.
json::object update(std::string const& user, std::string_view status, std::string_view previous,
    std::int64_t at, std::string const& id)
{
    auto event = about(updated, subscription_of(user, {{"status", status}}), at);
    event["id"] = id;
    if (previous != undefined)
        event["data"].as_object()["previous_attributes"] = json::object{{"status", previous}};
    return event;
}

} // namespace

TEST_CASE("the status of a subscription decides access to its items", "[card-access]")
{
    struct Row {
        std::string status, shown;
        std::int64_t seconds; ///< when access ends
        bool has_access;
    };

    constexpr std::int64_t at = 100, month = 30 * day;
    auto const check = [](World const& world, std::vector<Row> const& table) {
        for (auto const& row : table) {
            CAPTURE(row.status);
            CHECK(access_state::of(world, "a", row.status) ==
                  (row.has_access ? until(row.shown, row.seconds) : since(row.shown, row.seconds)));
        }
    };
    World const world;
    for (std::string const status :
        {"trialing", "active", "past_due", "unpaid", "paused", "incomplete", "incomplete_expired"})
        happens(world, about(updated, subscription_of(status, {{"status", status}}), at));
    std::vector<Row> table{{"trialing", "active", month + leeway, true},
        {"active", "active", month + leeway, true}, {"past_due", "expired", at, false},
        {"unpaid", "expired", at, false}, {"paused", "paused", at, false},
        {"incomplete", "expired", at, false}, {"incomplete_expired", "expired", at, false}};
    check(world, table);
    set(world, {{"pastDueIsActive", true}});
    table[2] = {"past_due", "active", month, true};
    check(world, table);
    set(world, {{"pastDueIsActive", false}});
    table[2] = {"past_due", "expired", at, false};
    check(world, table);
}

TEST_CASE("a deleted subscription gives access until it ended, also within the leeway", "[card-access]")
{
    World const world;
    auto const end = [&](std::string const& user, json::object changes, std::int64_t ended_at) {
        happens(world, about(created, subscription_of(user), 0));
        changes["status"] = "canceled";
        changes["ended_at"] = s(ended_at);
        happens(world, about(deleted, subscription_of(user, changes), ended_at + 5));
        auto const e = world.entitlement("a", user);
        CHECK(text(e, "expiresAt") == rfc3339(ended_at));
        CHECK(e.at("willRenew") == false);
        return access_state::of(e);
    };
    CHECK(end("early", {}, 100) == since("expired", 100));
    CHECK(end("in leeway", {}, 30 * day + 600) == since("expired", 30 * day + 600));
    CHECK(end("late", {}, 40 * day) == since("expired", 30 * day + leeway));
    CHECK(end("cancelled", {{"cancel_at_period_end", true}}, 30 * day + 600) == since("expired", 30 * day));
}

TEST_CASE(
    "the invoice that the subscription waits for gives access to the items of its lines", "[card-access]")
{
    World const world;
    for (std::string const status : {"past_due", "unpaid", "incomplete"}) {
        CAPTURE(status);
        auto const waiting = subscription_of(status, {{"status", status}, {"latest_invoice", "in_new"}});
        happens(world, about(updated, waiting, 0));
        happens(world, about("invoice.paid", invoice_of(status, "in_old", {"a", "b"}), 10));
        CHECK(access_state::of(world, "a", status) == since("expired", 0));
        CHECK(text(world.entitlement("a", status), "expiresAt") == rfc3339(30 * day));
        happens(world, about("invoice.paid", invoice_of(status, "in_new", {"a"}), 20));
        CHECK(access_state::of(world, "a", status) == until("active", 60 * day + leeway));
        CHECK(text(world.entitlement("a", status), "expiresAt") == rfc3339(60 * day));
        CHECK(access_state::of(world, "b", status) == since("expired", 0));
        // Later events of the subscription decide.
        happens(world, about(updated, waiting, 30));
        CHECK(access_state::of(world, "a", status) == since("expired", 30));
    }
    auto const paused = subscription_of("paused", {{"status", "paused"}, {"latest_invoice", "in_new"}});
    happens(world, about(updated, paused, 0));
    happens(world, about("invoice.paid", invoice_of("paused", "in_new", {"a"}), 10));
    CHECK(access_state::of(world, "a", "paused") == since("paused", 0));
}

TEST_CASE("an invoice of an active subscription lengthens only the items of its lines", "[card-access]")
{
    World const world;
    for (std::string const status : {"active", "trialing"}) {
        CAPTURE(status);
        happens(world, about(created, subscription_of(status, {{"status", status}}), 0));
        happens(world, about("invoice.paid", invoice_of(status, "in_2", {"a", "other"}), 10));
        CHECK(access_state::of(world, "a", status) == until("active", 60 * day + leeway));
        CHECK(access_state::of(world, "b", status) == until("active", 30 * day + leeway));
        CHECK(world.entitlements(status).size() == 2);
        // An invoice for an earlier period shortens nothing.
        auto earlier = invoice_of(status, "in_1", {});
        earlier["lines"] = events::list({events::invoice_line("a", 0, day)});
        CHECK(world.post_payment(about("invoice.paid", earlier, 20)).status == 200);
        CHECK(access_state::of(world, "a", status) == until("active", 60 * day + leeway));
    }
}

TEST_CASE("a subscription ends at its fixed date if this is before the end of the period", "[card-access]")
{
    World const world;
    happens(world, about(created, subscription_of("ada"), 0));
    happens(world, about(updated, subscription_of("ada", {{"cancel_at", s(20 * day)}}), 10));
    auto e = world.entitlement("a");
    CHECK(access_state::of(e) == until("active", 20 * day));
    CHECK(text(e, "expiresAt") == rfc3339(20 * day));
    CHECK(e.at("willRenew") == false);
    happens(world, about(updated, subscription_of("ada", {{"cancel_at", s(30 * day)}}), 20));
    CHECK(access_state::of(world, "a") == until("active", 30 * day));
    // The subscription renews before this date.
    happens(world, about(updated, subscription_of("ada", {{"cancel_at", s(45 * day)}}), 30));
    e = world.entitlement("a");
    CHECK(access_state::of(e) == until("active", 30 * day + leeway));
    CHECK(e.at("willRenew") == true);
    happens(world, about("invoice.paid", invoice_of("ada", "in_2", {"a"}), 40));
    CHECK(access_state::of(world, "a") == until("active", 45 * day));
    happens(world, about(updated, subscription_of("ada", {{"cancel_at", nullptr}}), 50));
    CHECK(access_state::of(world, "a") == until("active", 30 * day + leeway));
    happens(world, about(updated, subscription_of("ada", {{"cancel_at_period_end", true}}), 60));
    CHECK(access_state::of(world, "a") == until("active", 30 * day));
}

TEST_CASE("items that an incomplete list does not show are unchanged", "[card-access]")
{
    World const world;
    happens(world, about(created, subscription_of("ada"), 0));
    json::object incomplete = events::list({item("a"), item("c")});
    incomplete["has_more"] = true;
    happens(world, about(updated, subscription_of("ada", {{"items", incomplete}}), 10));
    for (auto const* product : {"a", "b", "c"})
        CHECK(access_state::of(world, product) == until("active", 30 * day + leeway));
    // The status applies to them, too.
    happens(world, about(updated, subscription_of("ada", {{"items", incomplete}, {"status", "unpaid"}}), 20));
    CHECK(access_state::of(world, "b") == since("expired", 20));
    happens(world, about(updated, subscription_of("ada", {{"items", events::list({item("a")})}}), 30));
    CHECK(access_state::of(world, "a") == until("active", 30 * day + leeway));
    for (auto const* product : {"b", "c"})
        CHECK(access_state::of(world, product) == since("expired", 30));
}

TEST_CASE("the previous attributes order two updates in the same second", "[card-access]")
{
    World const world;
    for (bool const reversed : {false, true}) {
        // The ids would give the other order.
        std::string const user = reversed ? "reversed" : "in order";
        CAPTURE(user);
        happens(world, about(created, subscription_of(user), 0));
        auto const first = update(user, "past_due", "active", 10, "evt_2 " + user),
                   second = update(user, "active", "past_due", 10, "evt_1 " + user);
        REQUIRE(world.post_payment(reversed ? second : first).status == 200);
        REQUIRE(world.post_payment(reversed ? first : second).status == 200);
        CHECK(access_state::of(world, "a", user) == until("active", 30 * day + leeway));
        auto const third = update(user, "unpaid", "active", 10, "evt_0 " + user);
        REQUIRE(world.post_payment(third).status == 200);
        CHECK(access_state::of(world, "a", user) == since("expired", 10));
    }
}

TEST_CASE("without previous attributes, the status that ends access sooner is the later one of a second",
    "[card-access]")
{
    World const world;
    std::vector<std::string> const statuses{"active", "trialing", "past_due", "paused", "unpaid"};
    std::map<std::string, std::string> const shown{
        {"trialing", "active"}, {"past_due", "expired"}, {"paused", "paused"}, {"unpaid", "expired"}};
    for (std::size_t i = 0; i + 1 < statuses.size(); ++i) {
        for (bool const reversed : {false, true}) {
            auto const user = statuses[i] + (reversed ? " reversed" : "");
            CAPTURE(user);
            happens(world, about(created, subscription_of(user), 0));
            auto const earlier = update(user, statuses[i], undefined, 10, "evt_2 " + user),
                       later = update(user, statuses[i + 1], undefined, 10, "evt_1 " + user);
            REQUIRE(world.post_payment(reversed ? later : earlier).status == 200);
            REQUIRE(world.post_payment(reversed ? earlier : later).status == 200);
            CHECK(text(world.entitlement("a", user), "status") == shown.at(statuses[i + 1]));
        }
    }
}

TEST_CASE("an entitlement shows the trial and the terms of its subscription", "[card-access]")
{
    World const world;
    auto const price =
        events::changed(events::price("a", "prod_a"), {{"currency", "jpy"}, {"unit_amount", 480}});
    auto const subscription = [&](json::object changes) {
        changes["items"] = events::list({item("a", {{"price", price}, {"quantity", 4}})});
        changes["trial_end"] = s(7 * day);
        return events::subscription({}, changes);
    };
    happens(world, about(created, subscription({{"status", "trialing"}}), 0));
    auto e = world.entitlement("a");
    CHECK(text(e, "periodType") == "trial");
    CHECK(text(e, "trialEndsAt") == rfc3339(7 * day));
    CHECK(e.at("price") == json::object{{"amount", 480}, {"currency", "JPY"}});
    CHECK(e.at("quantity") == 4);
    CHECK(text(e, "store") == "STRIPE");
    CHECK(text(e, "transactionId") == "sub_1");
    CHECK(e.at("cancelReason").is_null());
    json::object const details{
        {"comment", nullptr}, {"feedback", "too_expensive"}, {"reason", "cancellation_requested"}};
    happens(
        world, about(updated,
                   subscription({{"cancel_at_period_end", true}, {"cancellation_details", details}}), 10));
    e = world.entitlement("a");
    CHECK(text(e, "periodType") == "normal");
    CHECK(e.at("trialEndsAt").is_null());
    CHECK(text(e, "cancelReason") == "cancellation_requested");
}
