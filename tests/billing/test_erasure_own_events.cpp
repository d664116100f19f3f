#include "erasing.hpp"
#include "support/user_markers.hpp"
#include "syncing.hpp"

#include <algorithm>

using namespace erasing;

// Syncs, grants, and deferred events of erased users.

namespace {

constexpr char const* user = "mArKeR-user";

/// A tenant with keys for both providers, and a user who has purchases, a card subscription and a grant that
/// was taken back.
struct Fixture {
    Fixture()
    {
        set_api_key(world);
        set_payments_key(world);
        purchases.has(user, one("pro", {{"is_sandbox", true}}),
            {{"coins", json::array{purchase("t1", {{"is_sandbox", true}})}}});
        payments.has({card_subscription("sub_marker-user", {{"metadata", json::object{{"userId", user}}}})});
        require(200, sync(world, user, "demo-sandbox"));
        auto const product = require(
            201, world.as_backend("demo").post("/v1/products",
                     body({{"providerProductId", "gift"}, {"name", "A gift"}, {"kind", "subscription"}})));
        auto const path = "/v1/users/" + std::string(user) + "/grants";
        auto const given =
            require(201, world.as_backend().post(path, body({{"productId", text(product.json(), "productId")},
                                                           {"reason", "for " + std::string(user)}})));
        require(200, world.as_backend().del(path + "/" + text(given.json(), "entitlementId")));
    }

    PurchasesProvider const purchases;
    PaymentsProvider const payments;
    World world{options_for(purchases, payments)};
};

std::string types(json::array const& events)
{
    std::vector<std::string> names;
    for (auto const& event : events)
        names.push_back(text(event, "provider") + ' ' + text(event, "type"));
    std::ranges::sort(names);
    std::string all;
    for (auto const& name : names)
        all += name + '\n';
    return all;
}

/// Suspends the tenant `demo`, or resumes it, and waits until the service knows.
void set_status(World const& world, std::string const& status)
{
    auto master = world.as_master();
    auto backend = world.as_backend();
    REQUIRE(
        master.put("/v1/admin/tenants/demo", body({{"displayName", "Demo"}, {"status", status}})).status ==
        200);
    unsigned const expected = status == "suspended" ? 403 : 200;
    REQUIRE(eventually([&] { return backend.get("/v1/settings").status == expected; }));
}

/// Moves the clock until no deferred event is left.
void apply_deferred(World const& world)
{
    REQUIRE(eventually([&] {
        world.clock.advance(10s);
        return count(world, "deferred_events") == "0";
    }));
}

} // namespace

TEST_CASE_METHOD(Fixture, "syncs and grants in the archive lose the erased user", "[erasure]")
{
    bool const deleted = GENERATE(false, true);
    CAPTURE(deleted);
    auto const before = archive(world);
    CHECK(types(before) == "internal GRANT\ninternal REVOKE\ninternal SYNC\ninternal SYNC\n");
    CHECK(world.entitlements(user).size() == 4);
    CHECK(of_type(exported(world, user), "event").size() == 4);

    require(200, deleted ? delete_account(world, user) : erase(world, user));

    CHECK(testing::find_marker(world.postgres, user).empty());
    auto const after = archive(world);
    REQUIRE(after.size() == 4);
    for (auto const& event : after) {
        CHECK(is_erased(event));
        CHECK(replay(world, event) == "skipped user_erased");
    }
    CHECK(world.entitlements(user).empty());
    CHECK(exported(world, user).empty());
    auto const past = world.as_backend().get(
        "/v1/users/" + std::string(user) + "/entitlements?at=" + events::rfc3339(events::day));
    CHECK(past.json().at("entitlements").as_array().empty());
}

TEST_CASE_METHOD(Fixture,
    "a sync after an erasure stores what the providers have, unless the account was deleted", "[erasure]")
{
    require(200, erase(world, user));
    require(200, sync(world, user, "demo-sandbox"));
    CHECK(lines_of(world, user, "demo-sandbox") == "coins active\nprice_pro active\npro active\n");

    require(200, delete_account(world, user));
    auto const seen = purchases.seen(user);
    CHECK(error_of(sync(world, user, "demo-sandbox")) == "NOT_FOUND");
    CHECK(purchases.seen(user) == seen);
    CHECK(testing::find_marker(world.postgres, user).empty());
}

TEST_CASE("an erasure deletes the requests for syncs of the user", "[erasure]")
{
    World const world; // the provider cannot be reached, so requests wait
    set_api_key(world);
    bool const deleted = GENERATE(false, true);
    CAPTURE(deleted);
    auto const transfer = [](std::string_view id) {
        return json::object{
            {"event", json::object{{"id", id}, {"type", "TRANSFER"}, {"event_timestamp_ms", events::ms(0)},
                          {"transferred_from", json::array{user}}, {"transferred_to", json::array{"bob"}}}}};
    };
    auto const requested = [&] {
        return world.postgres.query("SELECT string_agg(user_id, ',' ORDER BY user_id) FROM sync_requests");
    };
    REQUIRE(world.post_purchase(transfer("t1")).status == 200);
    CHECK(requested() == "bob," + std::string(user));
    require(200, deleted ? delete_account(world, user) : erase(world, user));
    CHECK(requested() == "bob");
    CHECK(testing::find_marker(world.postgres, user).empty());

    REQUIRE(world.post_purchase(transfer("t2")).status == 200);
    // A sync covers both environments, and the account in the other one was not deleted.
    CHECK(requested() == (deleted ? "bob" : "bob," + std::string(user)));
}

TEST_CASE("the deferred events of an erased user are not applied", "[erasure]")
{
    World const world;
    world.key(); // a suspended tenant gets no key
    bool const deleted = GENERATE(false, true);
    CAPTURE(deleted);
    REQUIRE(result_of(world.post_payment(subscribed(user, 1, "sub_1"))) == "applied");
    set_status(world, "suspended");
    CHECK(result_of(world.post_purchase(bought(user, 2))) == "deferred");
    CHECK(result_of(world.post_purchase(bought("bob", 3, {{"aliases", json::array{user, "bob"}}}))) ==
          "deferred");
    CHECK(result_of(world.post_payment(subscribed(user, 4, "sub_1"))) == "deferred");
    CHECK(result_of(world.post_payment(paid(5, "sub_1"))) == "deferred"); // does not name the user
    set_status(world, "active"); // the clock stands still, so the events still wait
    CHECK(count(world, "deferred_events") == "4");

    require(200, deleted ? delete_account(world, user) : erase(world, user));
    CHECK(testing::find_marker(world.postgres, user).empty());
    apply_deferred(world);

    CHECK(testing::find_marker(world.postgres, user).empty());
    CHECK(world.entitlements(user).empty());
    CHECK(count(world, "payment_subscriptions") == "0");
    CHECK(world.entitlements("bob").size() == 1);
    auto const all = archive(world);
    REQUIRE(all.size() == 5);
    for (auto const& event : all) {
        bool const of_bob = text(event, "userId") == "bob";
        CHECK(is_erased(event) != of_bob);
        bool const was_deferred = event != all.back();
        CHECK(text(event, "reason") == (of_bob || !was_deferred ? "null" : "user_erased"));
    }
}

TEST_CASE(
    "events of a deleted account that arrive while the tenant is suspended are erased at once", "[erasure]")
{
    World const world;
    world.key();
    REQUIRE(result_of(world.post_payment(subscribed(user, 1, "sub_1"))) == "applied");
    require(200, delete_account(world, user));
    set_status(world, "suspended");
    CHECK(result_of(world.post_purchase(bought(user, 2))) == "skipped user_erased");
    CHECK(result_of(world.post_payment(subscribed(user, 3, "sub_1"))) == "skipped user_erased");
    CHECK(result_of(world.post_payment(paid(4, "sub_1"))) == "skipped user_erased");
    CHECK(result_of(world.post_purchase(bought("bob", 5, {{"aliases", json::array{user, "bob"}}}))) ==
          "deferred");
    CHECK(testing::find_marker(world.postgres, user).empty());
    set_status(world, "active");
    apply_deferred(world);
    CHECK(testing::find_marker(world.postgres, user).empty());
    CHECK(world.entitlements("bob").size() == 1);
}
