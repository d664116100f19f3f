#include "core/text.hpp"
#include "events.hpp"
#include "storage/subscribers.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace json = boost::json;
namespace subscribers = billing::subscribers;
using events::day, events::ms, events::rfc3339, events::s;

void happens(World const& world, std::string_view type, json::object const& changes = {})
{
    INFO(type);
    REQUIRE(result_of(world.post_purchase(events::purchase(type, changes))) == "applied");
}

void subscribed(
    World const& world, std::string const& user, std::string const& price, std::string_view status = "active")
{
    REQUIRE(result_of(world.post_payment(events::payment("customer.subscription.updated",
                events::subscription({events::item(price)},
                    {{"id", "sub-" + user}, {"status", status},
                        {"metadata", json::object{{"userId", user}}}})))) == "applied");
}

std::string new_product(World const& world, std::string_view id, std::string_view kind = "subscription")
{
    auto const made = require(201, world.as_backend("demo").post("/v1/products",
                                       body({{"providerProductId", id}, {"name", "A product"}, {"kind", kind},
                                           {"features", json::array{"export"}}})));
    return text(made.json(), "productId");
}

json::array listed(World const& world, std::string const& query = "", int limit = 100)
{
    auto backend = world.as_backend();
    return all_items(backend, "/v1/subscribers" + query, limit);
}

/// `user product`, separated by commas.
std::string names(json::array const& items)
{
    std::string names;
    for (auto const& item : items)
        names += (names.empty() ? "" : ", ") + text(item, "userId") + ' ' + text(item, "providerProductId");
    return names;
}

/// Copies the entitlement that an event has made. `changes`: SQL of a jsonb with the columns that differ, for
/// each number `g` from 1 to `count`.
void multiply(World const& world, int count, std::string const& changes)
{
    // The ids of copies are random UUIDs (version 4), and other ids have version 7.
    world.postgres.query(R"(
        INSERT INTO entitlements
        SELECT copy.*
        FROM entitlements e, generate_series(1, )" +
                         std::to_string(count) + R"() AS g, LATERAL jsonb_populate_record(e,
            jsonb_build_object('entitlement_id', gen_random_uuid()) || )" +
                         changes + R"() AS copy
        WHERE substr(e.entitlement_id::text, 15, 1) = '7' AND e.scope_id = )" +
                         world.scope_id());
}

} // namespace

TEST_CASE("the list of subscribers has one item per user and product, the best entitlement", "[subscribers]")
{
    World const world;
    auto const pro = new_product(world, "pro.monthly");
    CHECK(world.as_backend().get("/v1/subscribers").body == R"({"items":[],"cursor":null})");
    happens(world, "INITIAL_PURCHASE", {{"app_user_id", "bob"}});
    happens(world, "INITIAL_PURCHASE");
    happens(world, "INITIAL_PURCHASE", {{"product_id", "extra"}});
    require(201, world.as_backend().post(
                     "/v1/users/ada/grants", body({{"productId", pro}, {"expiresAt", rfc3339(90 * day)}})));
    require(201, world.as_backend().post(
                     "/v1/users/bob/grants", body({{"productId", pro}, {"expiresAt", rfc3339(day)}})));
    auto const items = listed(world);
    REQUIRE(names(items) == "ada extra, ada pro.monthly, bob pro.monthly");
    CHECK(text(items[1], "source") == "manual");
    CHECK(text(items[1], "productId") == pro);
    CHECK(text(items[1], "accessUntil") == rfc3339(90 * day));
    CHECK(text(items[2], "source") == "purchases");
    auto const own = world.entitlements("bob");
    CHECK(std::ranges::find(own, items[2]) != own.end()); // the same fields as in other lists
    CHECK(world.as_backend("demo").get("/v1/subscribers").body == R"({"items":[],"cursor":null})");
    CHECK(world.as_user("ada").get("/v1/subscribers").status == 403);
    for (auto const* role : {"admin", "owner"})
        CHECK(require(200, world.as_user("eve", role).get("/v1/subscribers")).json().at("items") == items);
    CHECK(require(200, world.as_master().get("/v1/subscribers")).json().at("items") == items);
}

TEST_CASE("of entitlements with the same end of access, the list shows the newest", "[subscribers]")
{
    World const world;
    new_product(world, "coins", "consumable");
    for (std::string const id : {"1", "2", "3"})
        happens(world, "NON_RENEWING_PURCHASE",
            {{"product_id", "coins"}, {"transaction_id", "tx-" + id}, {"expiration_at_ms", nullptr}});
    auto const items = listed(world);
    REQUIRE(items.size() == 1);
    CHECK(text(items[0], "transactionId") == "tx-3");
}

TEST_CASE("subscribers are filtered by product, status and access", "[subscribers]")
{
    World world;
    auto const catalog_id = new_product(world, "prod_price_a");
    auto const own_id = new_product(world, "price_own");
    happens(world, "INITIAL_PURCHASE", {{"product_id", "price_own"}, {"expiration_at_ms", ms(day)}});
    happens(world, "EXPIRATION", {{"product_id", "price_own"}, {"expiration_at_ms", ms(0)}});
    subscribed(world, "bob", "price_a");
    subscribed(world, "eve", "price_a", "past_due");
    subscribed(world, "zoe", "price_a", "paused");
    auto const found = [&](std::string const& query) { return names(listed(world, query, 2)); };
    CHECK(found("") == "ada price_own, bob price_a, eve price_a, zoe price_a");
    CHECK(found("?product=price_a") == "bob price_a, eve price_a, zoe price_a");
    CHECK(found("?product=" + catalog_id) == "bob price_a, eve price_a, zoe price_a");
    CHECK(found("?product=" + own_id) == "ada price_own");
    CHECK(found("?product=unknown").empty());
    CHECK(found("?product=0190a5d2-0000-7000-8000-0000000000ff").empty());
    CHECK(found("?status=active") == "bob price_a");
    CHECK(found("?status=expired") == "ada price_own, eve price_a");
    CHECK(found("?status=paused") == "zoe price_a");
    CHECK(found("?active=true") == "bob price_a");
    CHECK(found("?active=false") == "ada price_own, eve price_a, zoe price_a");
    CHECK(found("?active=false&status=expired&product=price_a") == "eve price_a");

    // A product whose price is in the catalog itself does not count for the catalog's other product.
    new_product(world, "price_a");
    CHECK(found("?product=" + catalog_id).empty());

    require(200, world.as_backend("demo").patch("/v1/settings", R"({"pastDueIsActive":true})"));
    CHECK(found("?status=active") == "bob price_a, eve price_a");
    CHECK(found("?active=true") == "bob price_a, eve price_a");
    world.clock.set(testing::FakeClock::start + std::chrono::days(31));
    CHECK(found("?active=true").empty());
    CHECK(found("?status=active") == "bob price_a, eve price_a"); // the status does not depend on the time

    auto backend = world.as_backend();
    CHECK(faults_of(backend.get("/v1/subscribers?product=&status=past_due&active=yes&limit=0")) ==
          "?product too_short\n?status not_allowed\n?active not_allowed\n?limit range");
}

TEST_CASE("the pages of the list of subscribers have no gaps and no repetitions", "[subscribers]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE", {{"app_user_id", "user-00"}});
    multiply(world, 59, R"(jsonb_build_object(
        'user_id', 'user-' || to_char(g / 3, 'FM00'), 'provider_product_id', 'product-' || g % 3
    ))");
    auto const all = names(listed(world));
    for (int const limit : {1, 2, 7, 59, 60})
        CHECK(names(listed(world, "", limit)) == all);
    CHECK(std::ranges::count(all, ',') == 59);

    auto backend = world.as_backend();
    auto const first = require(200, backend.get("/v1/subscribers?limit=10")).json();
    auto const cursor = text(first, "cursor");
    // A subscriber that is new or has gone does not change the rest of the list.
    world.postgres.query(
        "DELETE FROM entitlements WHERE user_id = '" + text(first.at("items").at(9), "userId") + "'");
    happens(world, "INITIAL_PURCHASE", {{"app_user_id", "a-new-user"}});
    auto const second = require(200, backend.get("/v1/subscribers?limit=100&cursor=" + cursor)).json();
    auto const rest = names(second.at("items").as_array());
    CHECK(all.ends_with(rest));
    CHECK(!rest.empty());
    CHECK(second.at("cursor").is_null());

    CHECK(
        faults_of(backend.get("/v1/subscribers?status=active&cursor=" + cursor)) == "?cursor invalid_cursor");
    CHECK(faults_of(backend.get("/v1/subscribers?cursor=" + cursor + "A")) == "?cursor invalid_cursor");
    CHECK(faults_of(backend.get("/v1/subscribers?cursor=x")) == "?cursor invalid_cursor");
    CHECK(faults_of(backend.get("/v1/subscribers?cursor=")) == "?cursor invalid_cursor");
}

TEST_CASE("a user with many entitlements is one item of the list", "[subscribers]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE", {{"app_user_id", "many"}, {"product_id", "coins"}});
    multiply(world, 1'200,
        R"(jsonb_build_object('user_id', CASE WHEN g <= 1100 THEN 'many' ELSE 'other-' || g END))");
    multiply(world, 1, R"('{"user_id":"many","provider_product_id":"pro"}'::jsonb)");
    for (std::string const query : {"", "?product=coins"}) {
        CAPTURE(query);
        auto const items = listed(world, query, 3);
        CHECK(items.size() == (query.empty() ? 102 : 101));
        CHECK(names(items).starts_with(
            query.empty() ? "many coins, many pro, other-1101 coins" : "many coins, other-1101 coins"));
    }
}

TEST_CASE("a page that finds few subscribers ends early, and the list goes on", "[subscribers]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE", {{"app_user_id", "a"}});
    multiply(world, 50'500, "jsonb_build_object('user_id', 'user-' || to_char(g, 'FM00000'))");
    world.postgres.query("UPDATE entitlements SET status = 'paused' WHERE user_id = 'user-50500'");
    auto const first = require(200, world.as_backend().get("/v1/subscribers?status=paused")).json();
    CHECK(first.at("items").as_array().empty());
    CHECK(first.at("cursor").is_string());
    CHECK(names(listed(world, "?status=paused")) == "user-50500 pro.monthly");
}

TEST_CASE("cursors of subscribers keep any ids, and refuse forged ones", "[subscribers]")
{
    std::string longest;
    for (int i = 0; i < 255; ++i)
        longest += "\U0001F469";
    for (auto const& position :
        std::vector<subscribers::Position>{{core::UserId("ada"), "pro"}, {core::UserId("ada"), ""},
            {core::UserId("ada"), std::nullopt}, {core::UserId(longest), longest}}) {
        auto const cursor = subscribers::encode(position, 42);
        CHECK(cursor.size() <= subscribers::max_cursor);
        CHECK(subscribers::decode(cursor, 42) == position);
        CHECK(!subscribers::decode(cursor, 43));
        CHECK(!subscribers::decode(cursor.substr(0, 8), 42));
    }
    CHECK(!subscribers::decode("", 42));
    CHECK(!subscribers::decode(subscribers::encode({core::UserId("\xff"), "pro"}, 42), 42));
    CHECK(!subscribers::decode(subscribers::encode({core::UserId("ada"), std::string(1, '\0')}, 42), 42));
}

TEST_CASE("users of the list are compared bytewise", "[subscribers]")
{
    World const world;
    std::vector<std::string> users{
        "ada", "Ada", " ada", "ada ", "\u00C5", "A\u030A", "\U0001F469", "'", "\\", "\""};
    for (auto const& user : users)
        happens(world, "INITIAL_PURCHASE", {{"app_user_id", user}});
    std::vector<std::string> found;
    for (auto const& item : listed(world, "", 1))
        found.push_back(text(item, "userId"));
    std::ranges::sort(users);
    CHECK(found == users);
}
