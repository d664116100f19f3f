#include "erasing.hpp"
#include "support/postgres.hpp"

#include <map>

using namespace erasing;

namespace {

/// Creates a product and grants it to the user. Returns the id of the entitlement.
std::string grant(World const& world, std::string const& user)
{
    auto const product = world.as_backend("demo").post(
        "/v1/products", body({{"providerProductId", "gift"}, {"name", "A gift"}, {"kind", "subscription"}}));
    auto const id =
        product.status == 409
            ? text(world.as_backend("demo").get("/v1/products").json().at("items").at(0), "productId")
            : text(require(201, product).json(), "productId");
    auto const r = world.as_backend().post("/v1/users/" + core::percent_encode(user) + "/grants",
        body({{"productId", id}, {"reason", "a friend of " + user}}));
    return text(require(201, r).json(), "entitlementId");
}

} // namespace

TEST_CASE("an erasure deletes entitlements and grants, and empties the archived events", "[erasure]")
{
    World const world;
    REQUIRE(result_of(world.post_purchase(bought("ada", 1))) == "applied");
    REQUIRE(result_of(world.post_payment(subscribed("ada", 2))) == "applied");
    REQUIRE(result_of(world.post_payment(paid(3))) == "applied");
    REQUIRE(result_of(world.post_purchase(bought("bob", 4))) == "applied");
    grant(world, "ada");
    auto const before = archive(world);
    auto const of_bob = world.entitlements("bob");

    CHECK(require(200, erase(world, "ada")).body == R"({"deleted":true})");

    CHECK(world.entitlements("ada").empty());
    CHECK(world.entitlements("bob") == of_bob);
    auto const after = archive(world);
    REQUIRE(after.size() == 5);   // with the GRANT
    CHECK(after[1] == before[1]); // bob's
    for (std::size_t const i : {0, 2, 3, 4}) {
        CHECK(is_erased(after[i]));
        for (auto const* kept : {"eventId", "provider", "type", "result", "reason", "receivedAt"})
            CHECK(after[i].at(kept) == before[i].at(kept));
    }
    CHECK(world.as_backend().get("/v1/events?userId=ada").json().at("items").as_array().empty());
    CHECK(count(world, "payment_subscriptions") == "0");
    auto backend = world.as_backend();
    auto const entries = all_items(backend, "/v1/audit?action=user.erased");
    REQUIRE(entries.size() == 1);
    CHECK(is_pseudonym(entries[0].at("subjectId")));
    CHECK(text(all_items(backend, "/v1/audit?action=grant.created").at(0), "after") == "null");

    CHECK(require(200, erase(world, "ada")).body == R"({"deleted":true})");
    CHECK(require(200, erase(world, "nobody")).body == R"({"deleted":true})");
    CHECK(archive(world) == after);
}

TEST_CASE("an erasure acts on one environment", "[erasure]")
{
    World const world;
    json::object const production{{"environment", "PRODUCTION"}};
    REQUIRE(result_of(world.post_purchase(bought("ada"))) == "applied");
    REQUIRE(result_of(world.post_purchase(bought("ada", 0, production), "demo")) == "applied");
    require(200, delete_account(world, "ada", "demo-sandbox"));
    CHECK(world.entitlements("ada").empty());
    CHECK(world.entitlements("ada", "demo").size() == 1);
    CHECK(text(archive(world, "demo").at(0), "userId") == "ada");
    CHECK(result_of(world.post_purchase(bought("ada", 1, production), "demo")) == "applied");
}

TEST_CASE("an erasure keeps the lease of a sync that the other environment needs", "[erasure]")
{
    World const world;
    json::object const production{{"environment", "PRODUCTION"}};
    REQUIRE(result_of(world.post_purchase(bought("ada"))) == "applied");
    REQUIRE(result_of(world.post_purchase(bought("ada", 0, production), "demo")) == "applied");
    world.postgres.query(
        "INSERT INTO syncs (tenant_id, user_id, lease_owner, leased_until) SELECT tenant_id, "
        "unnest(ARRAY['ada', 'eve']), gen_random_uuid(), now() + interval '30 s' FROM tenants "
        "WHERE slug = 'demo'");
    require(200, erase(world, "ada", "demo-sandbox"));
    require(200, erase(world, "eve", "demo-sandbox")); // nothing is stored of her in production
    CHECK(world.postgres.query("SELECT string_agg(user_id, ',') FROM syncs") == "ada");
    require(200, erase(world, "ada", "demo"));
    CHECK(count(world, "syncs") == "0");
}

TEST_CASE("after an erasure with a key, later events of the user are applied", "[erasure]")
{
    for (bool const told : {false, true}) {
        CAPTURE(told);
        World const world;
        if (told) listen(world);
        REQUIRE(result_of(world.post_purchase(bought("ada", 1))) == "applied");
        REQUIRE(result_of(world.post_payment(subscribed("ada", 2))) == "applied");
        require(200, erase(world, "ada"));
        CHECK(result_of(world.post_payment(paid(6))) == "skipped awaiting_subscription");
        CHECK(result_of(world.post_purchase(bought("ada", 4))) == "applied");
        CHECK(result_of(world.post_payment(subscribed("ada", 5))) == "applied");
        CHECK(text(world.entitlement("a"), "expiresAt") == events::rfc3339(60 * events::day));
        CHECK(world.entitlements().size() == 2);
        grant(world, "ada");
        auto const all = archive(world);
        CHECK(std::ranges::count_if(all, is_erased) == 2);
        // The second erasure finds the new data.
        require(200, erase(world, "ada"));
        CHECK(world.entitlements().empty());
        auto const erased = archive(world);
        CHECK(std::ranges::count_if(erased, is_erased) == 6); // with the GRANT
    }
}

TEST_CASE("events of a user whose account was deleted are archived without the user", "[erasure]")
{
    for (bool const told : {false, true}) {
        CAPTURE(told);
        World const world;
        if (told) listen(world);
        REQUIRE(result_of(world.post_payment(subscribed("ada", 1))) == "applied");
        require(200, delete_account(world, "ada"));
        auto const no_user = events::subscription({events::item("a")}, {{"metadata", json::object()}});
        std::vector<std::pair<std::string, testing::HttpResponse>> const answers{
            {"skipped user_erased", world.post_purchase(bought("ada", 2))},
            {"skipped user_erased", world.post_payment(subscribed("ada", 3))},
            {"skipped user_erased", world.post_payment(subscribed("ada", 3, "sub_new"))},
            {"skipped user_erased", world.post_payment(paid(4))},
            {"skipped user_erased",
                world.post_payment(events::payment("customer.subscription.deleted", no_user))},
            {"skipped user_erased",
                world.post_payment(events::payment("invoice.paid", events::invoice("a")))},
            {"skipped user_erased",
                world.post_payment(events::payment("customer.created",
                    {{"livemode", false}, {"metadata", json::object{{"userId", "ada"}}}}))},
            {"skipped user_erased", world.post_purchase(events::purchase("SUBSCRIBER_ALIAS"))},
            {"400 VALIDATION_ERROR",
                world.post_purchase(bought("ada", 5, {{"product_id", events::undefined}}))},
            {"400 MALFORMED_JSON",
                world.post_purchase(R"({"event":{"app_user_id":"ada","subscriber_attributes":{)")},
        };
        for (auto const& [expected, answer] : answers)
            CHECK(result_of(answer) == expected);
        auto const all = archive(world);
        REQUIRE(all.size() == answers.size() + 1);
        for (auto const& event : all)
            CHECK(is_erased(event));
        CHECK(world.entitlements().empty());
        CHECK(count(world, "payment_subscriptions") == "0");
        CHECK(count(world, "event_claims WHERE received_at = 'infinity'") == "1"); // of sub_1, kept forever
        CHECK(count(world, "event_users WHERE user_id = 'ada'") == "0");
        CHECK(result_of(world.post_purchase(bought("bob"))) == "applied");
    }
}

TEST_CASE("a subscription of a deleted account can move to another user", "[erasure]")
{
    World const world;
    REQUIRE(result_of(world.post_payment(subscribed("ada", 1))) == "applied");
    require(200, delete_account(world, "ada"));
    CHECK(result_of(world.post_payment(subscribed("bob", 2))) == "applied");
    CHECK(result_of(world.post_payment(paid(3))) == "applied");
    CHECK(text(world.entitlement("a", "bob"), "expiresAt") == events::rfc3339(60 * events::day));
    CHECK(result_of(world.post_payment(subscribed("ada", 4))) == "skipped user_erased");
    CHECK(text(world.entitlement("a", "bob"), "status") == "active");
}

TEST_CASE("an event that is sent again after the erasure is a duplicate", "[erasure]")
{
    World const world;
    auto const event = bought("ada");
    REQUIRE(result_of(world.post_purchase(event)) == "applied");
    require(200, erase(world, "ada"));
    CHECK(result_of(world.post_purchase(event)) == "duplicate");
    CHECK(world.entitlements().empty());
}

TEST_CASE("the replay of an erased event skips it", "[erasure]")
{
    World const world;
    REQUIRE(result_of(world.post_purchase(bought("ada", 1))) == "applied");
    REQUIRE(result_of(world.post_payment(subscribed("ada", 2))) == "applied");
    REQUIRE(
        world.post_purchase(R"({"event":{"type":"RENEWAL","id":"half","app_user_id":"ada"}})").status == 400);
    require(200, erase(world, "ada"));
    auto const erased = archive(world);
    REQUIRE(erased.size() == 3);
    for (auto const& event : erased)
        CHECK(replay(world, event) == "skipped user_erased");
    CHECK(archive(world) == erased);
    CHECK(count(world, "entitlements") == "0");
}

TEST_CASE("reads of the past do not see erased events", "[erasure]")
{
    World const world;
    REQUIRE(result_of(world.post_purchase(bought("ada", 1, {{"aliases", json::array{"ada", "bob"}}}))) ==
            "applied");
    REQUIRE(result_of(world.post_payment(subscribed("ada", 2))) == "applied");
    auto const as_of = [&](std::string const& user) {
        auto const path = "/v1/users/" + core::percent_encode(user) + "/entitlements?at=2026-01-02T00:00:00Z";
        return world.as_backend().get(path).json().at("entitlements").as_array().size();
    };
    CHECK(as_of("ada") == 2);
    require(200, erase(world, "ada"));
    CHECK(as_of("ada") == 0);
    for (auto const& event : archive(world))
        CHECK(as_of(text(event, "userId")) == 0);
}

TEST_CASE("an account that was deleted gets no grant, and no sync", "[erasure]")
{
    World const world;
    REQUIRE(world.as_backend("demo").patch("/v1/settings", R"({"purchasesApiKey":"sk_1"})").status == 200);
    grant(world, "ada");
    require(200, delete_account(world, "ada"));
    auto const product = text(world.as_backend().get("/v1/products").json().at("items").at(0), "productId");
    auto const refused = world.as_backend().post(
        "/v1/users/ada/grants", body({{"productId", product}}), {{"Idempotency-Key", "k"}});
    CHECK(error_of(refused) == "NOT_FOUND");
    CHECK(error_of(world.as_backend().post("/v1/sync/ada", "")) == "NOT_FOUND");
    CHECK(error_of(world.as_backend().post("/v1/sync/bob", "")) == "UPSTREAM_ERROR");
    CHECK(world.entitlements().empty());
    CHECK(count(world, "syncs") == "0");
}

TEST_CASE("an erasure deletes the stored response of a grant, and no webhook names the user", "[erasure]")
{
    World const world;
    auto const hook = listen(world);
    auto const product = world.as_backend("demo").post(
        "/v1/products", body({{"providerProductId", "gift"}, {"name", "A gift"}, {"kind", "subscription"}}));
    auto const give = [&] {
        return world.as_backend().post("/v1/users/ada/grants",
            body({{"productId", text(product.json(), "productId")}}), {{"Idempotency-Key", "k"}});
    };
    REQUIRE(give().status == 201);
    CHECK(give().header("idempotent-replayed") == "true");
    auto backend = world.as_backend();
    auto const path = "/v1/webhooks/" + hook + "/deliveries";
    REQUIRE(all_items(backend, path).size() == 1);
    require(200, erase(world, "ada"));
    CHECK(all_items(backend, path).empty());
    CHECK(count(world, "idempotency_keys") == "0");
    CHECK(give().header("idempotent-replayed").empty());
}

TEST_CASE("erasure tokens of others and access tokens erase nothing", "[erasure]")
{
    World const world;
    REQUIRE(result_of(world.post_purchase(bought("ada"))) == "applied");
    auto const refused = [&](std::string const& credential, std::string const& tenant = "demo-sandbox") {
        return world.with(credential, tenant).post("/v1/erasures", "").status == 401;
    };
    CHECK(refused(world.token("ada")));
    CHECK(refused(world.token("ada", "owner")));
    CHECK(refused(token(world, "ada", "demo")));
    CHECK(refused(token(world, "ada", "other-sandbox")));
    CHECK(refused(token(world, "ada"), "demo"));
    CHECK(world.as_user("ada", "user").del("/v1/users/ada").status == 403);
    CHECK(world.entitlements().size() == 1);
    // An erasure token is accepted nowhere else.
    CHECK(world.with(token(world, "ada")).get("/v1/users/ada/export").status == 401);
    CHECK(world.with(token(world, "ada")).get("/v1/events").status == 401);
    // After the erasure, the user's access tokens are refused.
    CHECK(world.as_user("ada").get("/v1/users/ada/export").status == 200);
    require(200, delete_account(world, "ada"));
    CHECK(world.as_user("ada").get("/v1/users/ada/export").status == 401);
}
