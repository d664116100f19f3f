#include "events.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <vector>

// POST /webhooks/payments with requests in the form of the payments provider.

namespace {

using events::day, events::s, events::rfc3339, events::undefined;
namespace json = boost::json;

constexpr char const* created = "customer.subscription.created";
constexpr char const* updated = "customer.subscription.updated";
constexpr char const* deleted = "customer.subscription.deleted";

/// An event about a subscription, `at` seconds after the start.
json::object about(std::string_view type, json::object const& object, std::int64_t at = 0)
{
    return events::payment(type, object, {{"created", s(at)}});
}

json::object of_user(std::string const& user, std::string const& subscription, std::string_view status)
{
    return events::subscription({events::item("a")},
        {{"id", subscription}, {"metadata", json::object{{"userId", user}}}, {"status", status}});
}

} // namespace

TEST_CASE("a subscription in the old or new shape creates an entitlement of its price", "[billing][payments]")
{
    World const world;
    auto old_shape = events::old_subscription("old", {{"id", "sub_old"}});
    CHECK(world.post_payment(about(created, events::subscription({events::item("new")}))).body ==
          R"({"received":true,"result":"applied"})");
    CHECK(result_of(world.post_payment(about(created, old_shape))) == "applied");
    for (auto const* price : {"new", "old"}) {
        auto const e = world.entitlement(price);
        CHECK(text(e, "source") == "payments");
        CHECK(text(e, "status") == "active");
        CHECK(e.at("isActive") == true);
        CHECK(text(e, "purchasedAt") == rfc3339(0));
        CHECK(text(e, "expiresAt") == rfc3339(30 * day));
        CHECK(e.at("willRenew") == true);
        CHECK(text(e, "lastEventType") == created);
        CHECK(text(e, "environment") == "sandbox");
    }
}

TEST_CASE("each event type has its effect", "[billing][payments]")
{
    World const world;
    auto const status = [&] { return text(world.entitlement("a"), "status"); };
    auto const of = [](std::string_view state, json::object changes = {}) {
        changes["status"] = state;
        return events::subscription({events::item("a")}, changes);
    };
    CHECK(result_of(world.post_payment(about(created, of("incomplete")))) == "applied");
    CHECK(status() == "expired");
    CHECK(result_of(world.post_payment(about(updated, of("active"), 1))) == "applied");
    CHECK(status() == "active");
    // Handled through customer.subscription.updated.
    CHECK(result_of(world.post_payment(about("invoice.payment_failed", events::invoice("a"), 2))) ==
          "skipped handled_by_subscription_update");
    CHECK(status() == "active");
    CHECK(result_of(world.post_payment(about(updated, of("past_due", {{"latest_invoice", "in_1"}}), 3))) ==
          "applied");
    CHECK(status() == "expired");
    CHECK(result_of(world.post_payment(about("invoice.paid", events::invoice("a"), 4))) == "applied");
    CHECK(status() == "active");
    CHECK(text(world.entitlement("a"), "expiresAt") == rfc3339(60 * day));
    CHECK(text(world.entitlement("a"), "lastEventType") == "invoice.paid");
    CHECK(result_of(world.post_payment(about(updated, of("active", {{"cancel_at_period_end", true}}), 5))) ==
          "applied");
    CHECK(status() == "active");
    CHECK(world.entitlement("a").at("willRenew") == false);
    CHECK(
        result_of(world.post_payment(about(deleted, of("canceled", {{"ended_at", s(6)}}), 7))) == "applied");
    CHECK(status() == "expired");
    CHECK(text(world.entitlement("a"), "expiresAt") == rfc3339(6));
    CHECK(result_of(world.post_payment(about("invoice.paid", events::old_invoice("a"), 8))) ==
          "skipped subscription_ended");
    CHECK(status() == "expired");
    CHECK(result_of(world.post_payment(about("customer.created", {{"id", "cus_1"}, {"livemode", false}}))) ==
          "skipped unhandled_type");
}

TEST_CASE("every status of a subscription is mapped", "[billing][payments]")
{
    World const world;
    for (auto const& [status, expected] : std::map<std::string, std::string>{{"trialing", "active"},
             {"active", "active"}, {"paused", "paused"}, {"past_due", "expired"}, {"unpaid", "expired"},
             {"canceled", "expired"}, {"incomplete", "expired"}, {"incomplete_expired", "expired"}}) {
        CAPTURE(status);
        CHECK(result_of(world.post_payment(about(updated, of_user(status, "sub_" + status, status)))) ==
              "applied");
        CHECK(text(world.entitlement("a", status), "status") == expected);
    }
    CHECK(result_of(world.post_payment(about(updated, of_user("x", "sub_x", "resting")))) ==
          "skipped unknown_status");

    REQUIRE(world.as_master("demo").patch("/v1/settings", R"({"pastDueIsActive":true})").status == 200);
    CHECK(text(world.entitlement("a", "past_due"), "status") == "active");
    CHECK(text(world.entitlement("a", "unpaid"), "status") == "expired");
}

TEST_CASE("the user id comes from the metadata of the subscription", "[billing][payments]")
{
    World const world;
    CHECK(result_of(world.post_payment(
              about(created, events::subscription({events::item("a")}, {{"metadata", json::object()}})))) ==
          "skipped no_user");
    CHECK(world.entitlements().empty());
    CHECK(result_of(world.post_payment(about(updated, events::subscription({events::item("a")}), 1))) ==
          "applied");
    CHECK(world.entitlements().size() == 1);
    // The subscription moves to another user.
    CHECK(result_of(world.post_payment(about(updated, of_user("bob", "sub_1", "active"), 2))) == "applied");
    CHECK(text(world.entitlement("a"), "status") == "expired");
    CHECK(text(world.entitlement("a"), "expiresAt") == rfc3339(2));
    CHECK(text(world.entitlement("a", "bob"), "status") == "active");
}

TEST_CASE("livemode selects the environment of the entitlement", "[billing][payments]")
{
    World const world;
    auto live = events::subscription({events::item("a")}, {{"livemode", true}});
    CHECK(result_of(world.post_payment(about(created, live), "demo-sandbox")) == "applied");
    CHECK(world.entitlements("ada", "demo-sandbox").empty());
    CHECK(text(world.entitlement("a", "ada", "demo"), "environment") == "production");
    CHECK(result_of(world.post_payment(about(created, events::subscription({events::item("b")})), "demo")) ==
          "applied");
    CHECK(text(world.entitlement("b", "ada", "demo-sandbox"), "environment") == "sandbox");
}

TEST_CASE("an invoice that arrives before its subscription waits for it", "[billing][payments]")
{
    World const world;
    auto const pays = about("invoice.paid", events::invoice("a"), 5);
    CHECK(result_of(world.post_payment(pays)) == "skipped awaiting_subscription");
    CHECK(world.entitlements().empty());
    auto incomplete = events::subscription({events::item("a")}, {{"status", "incomplete"}});
    CHECK(result_of(world.post_payment(about(created, incomplete))) == "applied");
    CHECK(text(world.entitlement("a"), "status") == "active");
    CHECK(text(world.entitlement("a"), "expiresAt") == rfc3339(60 * day));
    auto backend = world.as_backend();
    auto const archived = all_items(backend, "/v1/events?userId=ada");
    REQUIRE(archived.size() == 2);
    for (auto const& event : archived) {
        CHECK(text(event, "result") == "applied");
        CHECK(text(event, "reason") == "null");
    }
    CHECK(result_of(world.post_payment(pays)) == "duplicate");
    CHECK(result_of(world.post_payment(about("invoice.paid", events::invoice("a", {{"parent", nullptr}})))) ==
          "skipped no_subscription");
}

TEST_CASE("several items and subscriptions give one entitlement per product", "[billing][payments]")
{
    World const world;
    auto const two =
        events::subscription({events::item("a"), events::item("a", {{"id", "si_2"}}), events::item("b")});
    CHECK(result_of(world.post_payment(about(created, two))) == "applied");
    CHECK(world.entitlements().size() == 2);
    auto const second = events::subscription({events::item("a")}, {{"id", "sub_2"}});
    CHECK(result_of(world.post_payment(about(created, second, 1))) == "applied");
    CHECK(world.entitlements().size() == 2);
    auto ended = two;
    ended["status"] = "canceled";
    ended["ended_at"] = s(2);
    CHECK(result_of(world.post_payment(about(deleted, ended, 2))) == "applied");
    CHECK(text(world.entitlement("a"), "status") == "active"); // because of the second subscription
    CHECK(text(world.entitlement("b"), "status") == "expired");
    auto const swapped = events::subscription({events::item("c")}, {{"id", "sub_2"}});
    CHECK(result_of(world.post_payment(about(updated, swapped, 3))) == "applied");
    CHECK(text(world.entitlement("a"), "status") == "expired");
    CHECK(text(world.entitlement("a"), "expiresAt") == rfc3339(3));
    CHECK(text(world.entitlement("c"), "status") == "active");
}

TEST_CASE("a product of the catalog is found by price first, then by product", "[billing][payments]")
{
    World const world;
    auto backend = world.as_backend(), production = world.as_backend("demo");
    auto const define = [&](std::string const& id) {
        auto const r = production.post(
            "/v1/products", body({{"providerProductId", id}, {"name", id}, {"kind", "subscription"},
                                {"features", json::array{"f-" + id}}}));
        REQUIRE(r.status == 201);
    };
    CHECK(result_of(world.post_payment(about(created, events::subscription({events::item("a")})))) ==
          "applied");
    CHECK(world.entitlement("a").at("features") == json::array());
    define("prod_a");
    CHECK(world.entitlement("a").at("features") == json::array{"f-prod_a"});
    CHECK(backend.get("/v1/users/ada/features/f-prod_a").json().at("granted") == true);
    define("a");
    CHECK(world.entitlement("a").at("features") == json::array{"f-a"});
    CHECK(backend.get("/v1/users/ada/features/f-prod_a").json().at("granted") == false);
}

TEST_CASE("the payments signature is verified before the body is parsed", "[billing][payments]")
{
    World world;
    auto client = world.client();
    auto const event = body(about(created, events::subscription({events::item("a")})));
    auto const now = world.clock.now();
    auto const with = [&](std::string const& header, std::string const& payload) {
        return result_of(client.post("/webhooks/payments", payload, {{"Stripe-Signature", header}}));
    };
    CHECK(result_of(client.post("/webhooks/payments", event)) == "401 UNAUTHORIZED");
    CHECK(with("", event) == "401 UNAUTHORIZED");
    CHECK(with("nonsense", event) == "401 UNAUTHORIZED");
    CHECK(with(signature(event, "whsec_wrong", now), event) == "401 UNAUTHORIZED");
    CHECK(with(signature(event, signing_secret, now), event + "\n") == "401 UNAUTHORIZED");
    CHECK(with(signature(event, signing_secret, now - 301s), event) == "401 UNAUTHORIZED");
    CHECK(with(signature(event, signing_secret, now + 301s), event) == "401 UNAUTHORIZED");
    CHECK(with(signature("{", signing_secret, now), "{") == "400 MALFORMED_JSON");
    CHECK(with(signature("{", "whsec_wrong", now), "{") == "401 UNAUTHORIZED");
    CHECK(world.entitlements().empty());
    auto backend = world.as_backend();
    CHECK(all_items(backend, "/v1/events").size() == 1); // the signed body
    CHECK(with(signature(event, signing_secret, now - 300s), event) == "applied");
    CHECK(with(signature(event, signing_secret, now + 300s), event) == "duplicate");
    CHECK(world.logged().find(signing_secret) == std::string::npos);
}

TEST_CASE("during the rotation of a signing secret both secrets are valid", "[billing][payments]")
{
    World const world;
    auto client = world.client();
    auto const with = [&](std::string const& secret) {
        auto const event = body(events::payment("customer.created", {{"id", "cus_1"}}));
        return client
            .post("/webhooks/payments", event,
                {{"Stripe-Signature", signature(event, secret, world.clock.now())}})
            .status;
    };
    auto const set = [&](json::array secrets) {
        auto const r =
            world.as_master().patch("/v1/settings", body({{"paymentsSigningSecrets", std::move(secrets)}}));
        REQUIRE(r.status == 200);
    };
    CHECK(with(signing_secret) == 200);
    CHECK(with("whsec_next") == 401);
    set({signing_secret, "whsec_next"});
    CHECK(eventually([&] { return with("whsec_next") == 200; }));
    CHECK(with(signing_secret) == 200);
    set({"whsec_next"});
    CHECK(eventually([&] { return with(signing_secret) == 401; }));
    CHECK(with("whsec_next") == 200);
}

TEST_CASE("the name of the signature header is configurable", "[billing][payments]")
{
    World::Options options;
    options.environment["PAYMENTS_SIGNATURE_HEADER"] = "Paddle-Signature";
    World const world(options);
    auto client = world.client();
    auto const event = body(about(created, events::subscription({events::item("a")})));
    auto const header = signature(event, signing_secret, world.clock.now());
    CHECK(result_of(client.post("/webhooks/payments", event, {{"Stripe-Signature", header}})) ==
          "401 UNAUTHORIZED");
    CHECK(result_of(client.post("/webhooks/payments", event, {{"paddle-signature", header}})) == "applied");
}

TEST_CASE("a malformed event of the payments provider gets 400 and is archived", "[billing][payments]")
{
    World const world;
    auto const whole = events::subscription({events::item("a")});
    std::vector<std::string> const bodies{"", "{", "[]", "null", R"({"id":"evt_1"})",
        R"({"id":"evt_1","type":"invoice.paid"})", R"({"id":"evt_1","type":"invoice.paid","created":1})",
        R"({"id":7,"type":"invoice.paid"})", body(events::payment(updated, whole, {{"created", 1e18}})),
        body(events::payment(updated, whole, {{"created", "today"}})),
        body(events::payment(updated, events::changed(whole, {{"items", undefined}}))),
        body(events::payment(updated, events::changed(whole, {{"metadata", "ada"}})))};
    for (auto const& sent : bodies) {
        CAPTURE(sent);
        CHECK(world.post_payment(sent).status == 400);
    }
    auto backend = world.as_backend();
    CHECK(all_items(backend, "/v1/events?result=rejected").size() == bodies.size());
    CHECK(world.entitlements().empty());
}
