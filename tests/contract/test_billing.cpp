#include "checks.hpp"
#include "erasing.hpp"
#include "events.hpp"
#include "routes.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

OpenApi const& contract()
{
    static OpenApi const loaded(PROTO_DIR "/billing.openapi.yaml");
    return loaded;
}

TEST_CASE("the contract describes exactly the routes of the service", "[contract]")
{
    check_described(billing::routes);
}

TEST_CASE("the contract names the callers and the parameters of each route", "[contract]")
{
    check_operations(billing::routes);
}

TEST_CASE("responses to providers match the contract", "[contract]")
{
    World const world;
    auto anyone = world.client();
    auto const purchase = example_of("POST /webhooks/purchases"),
               payment = example_of("POST /webhooks/payments");
    auto const post_purchase = [&](std::string const& body) {
        return checked(anyone, "POST /webhooks/purchases", "/webhooks/purchases", body,
            {{"Authorization", purchases_secret}});
    };
    auto const post_payment = [&](std::string const& body) {
        return checked(anyone, "POST /webhooks/payments", "/webhooks/payments", body,
            {{"Stripe-Signature", signature(body, signing_secret, world.clock.now())}});
    };
    for (auto const* result : {"applied", "duplicate"}) {
        CHECK(result_of(post_purchase(purchase)) == result);
        CHECK(result_of(post_payment(payment)) == result);
    }
    auto const buyer = text(boost::json::parse(purchase).at("event"), "app_user_id");
    CHECK(world.entitlements(buyer).size() == 2);
    CHECK(post_purchase("{}").status == 400);
    CHECK(post_payment("{}").status == 400);
    CHECK(post_payment("{").status == 400);
    CHECK(checked(anyone, "POST /webhooks/purchases", "/webhooks/purchases", purchase).status == 401);
    CHECK(checked(anyone, "POST /webhooks/payments", "/webhooks/payments", payment).status == 401);

    auto backend = world.as_backend();
    auto const listed = example(backend, "GET /v1/events");
    CHECK(listed.json().at("items").as_array().size() == 5);
    auto const id = text(boost::json::parse(purchase).at("event"), "id");
    CHECK(checked(backend, "POST /v1/events/{eventId}/replay", "/v1/events/" + id + "/replay").status == 200);
    CHECK(checked(backend, "POST /v1/events/{eventId}/replay", "/v1/events/none/replay").status == 404);
}

TEST_CASE("responses of products, grants and entitlements match the contract", "[contract]")
{
    World const world;
    auto backend = world.as_backend(), production = world.as_backend("demo");
    auto const made = example(production, "POST /v1/products");
    REQUIRE(made.status == 201);
    CHECK(example(production, "POST /v1/products").status == 409);
    CHECK(checked(production, "POST /v1/products", "/v1/products", "{}").status == 400);
    CHECK(example(backend, "POST /v1/products").status == 403);
    auto const product = text(made.json(), "productId"), path = "/v1/products/" + product;
    CHECK(checked(backend, "GET /v1/products/{productId}", path).status == 200);
    CHECK(example(backend, "GET /v1/products").status == 200);
    CHECK(checked(production, "PATCH /v1/products/{productId}", path,
              example_of("PATCH /v1/products/{productId}"))
              .status == 200);
    CHECK(checked(backend, "PATCH /v1/products/{productId}", path, R"({"name":"x"})").status == 403);
    CHECK(checked(backend, "DELETE /v1/products/{productId}", path).status == 403);

    std::string const grants = "/v1/users/ada/grants", give = "POST /v1/users/{userId}/grants";
    auto const given = checked(backend, give, grants, body({{"productId", product}}));
    REQUIRE(given.status == 201);
    CHECK(checked(backend, give, grants, example_of(give)).status == 400); // the product does not exist
    REQUIRE(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "applied");
    auto const read = "GET /v1/users/{userId}/entitlements";
    auto const all = checked(backend, read, "/v1/users/ada/entitlements");
    CHECK(all.json().at("entitlements").as_array().size() == 2);
    CHECK(checked(backend, read, "/v1/users/ada/entitlements?at=2026-01-01T00:00:00Z").status == 200);
    CHECK(checked(backend, "GET /v1/entitlements", "/v1/entitlements?userId=ada").body == all.body);
    CHECK(example(backend, "GET /v1/entitlements").status == 400);
    auto const check = "GET /v1/users/{userId}/features/{feature}";
    CHECK(checked(backend, check, "/v1/users/ada/features/export").status == 200);
    CHECK(checked(backend, check, "/v1/users/ada/features/none").status == 200);
    auto const take = "DELETE /v1/users/{userId}/grants/{entitlementId}";
    CHECK(checked(backend, take, grants + "/" + text(given.json(), "entitlementId")).status == 200);
    CHECK(checked(backend, take, grants + "/none").status == 404);
    CHECK(checked(production, "DELETE /v1/products/{productId}", path).status == 200);
    CHECK(checked(production, "DELETE /v1/products/{productId}", path).status == 404);
}

TEST_CASE("responses of a sync match the contract", "[contract]")
{
    World const world; // its purchase provider does not answer
    auto backend = world.as_backend();
    CHECK(checked(backend, "POST /v1/sync/{userId}", "/v1/sync/ada").status == 409);
    REQUIRE(world.as_backend("demo").patch("/v1/settings", R"({"purchasesApiKey":"sk_1"})").status == 200);
    CHECK(checked(backend, "POST /v1/sync/{userId}", "/v1/sync/ada").status == 502);
}

TEST_CASE("responses about one user match the contract", "[contract]")
{
    World const world;
    auto backend = world.as_backend(), auth = world.with(erasing::token(world, "bob"));
    REQUIRE(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "applied");
    auto const exports = "GET /v1/users/{userId}/export", erases = "DELETE /v1/users/{userId}";
    auto user = world.as_user("ada");
    CHECK(checked(user, exports, "/v1/users/ada/export").status == 200);
    CHECK(checked(user, exports, "/v1/users/bob/export").status == 404);
    CHECK(checked(user, erases, "/v1/users/ada").status == 403);
    CHECK(checked(backend, erases, "/v1/users/ada").status == 200);
    CHECK(checked(backend, erases, "/v1/users/" + std::string(256, 'x')).status == 400);
    auto const erased = example(backend, "GET /v1/events").json().at("items").at(0);
    CHECK(erased.at("erasedAt").is_string());
    auto const replay = "POST /v1/events/{eventId}/replay";
    CHECK(text(checked(backend, replay, "/v1/events/" + text(erased, "eventId") + "/replay").json(),
              "result") == "skipped");
    CHECK(example(auth, "POST /v1/erasures").status == 200);
    CHECK(example(backend, "POST /v1/erasures").status == 401);
    CHECK(checked(backend, "POST /v1/sync/{userId}", "/v1/sync/bob").status == 404);
}

TEST_CASE("responses of settings, webhooks, keys and tenants match the contract", "[contract]")
{
    World const world;
    auto backend = world.as_backend(), owner = world.as_user("ada", "owner"), master = world.as_master();
    CHECK(example(master, "PATCH /v1/settings").status == 200);
    CHECK(example(backend, "PATCH /v1/settings").status == 403);
    for (auto const* list : {"/v1/settings", "/v1/audit", "/v1/webhooks"})
        CHECK(example(backend, std::string("GET ") + list).status == 200);

    check_webhooks(backend, [&] {
        REQUIRE(master.patch("/v1/settings", body({{"purchasesSecret", purchases_secret}})).status == 200);
        REQUIRE(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "applied");
    });
    check_keys(owner, backend);
    check_tenants(master);
}

TEST_CASE("the served reference matches the contract", "[contract]")
{
    World const world;
    auto anyone = world.client();
    check_reference(anyone);
}
