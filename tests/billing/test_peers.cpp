#include "events.hpp"
#include "purchases_provider.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <fstream>

// Checks against independent software: the service accepts the signatures of the payments provider's own
// package, and the package accepts the signatures of the tests.

namespace {

namespace json = boost::json;

/// The output of node/stripe.mjs for `input`.
json::value stripe(json::object const& input)
{
    testing::TemporaryDirectory const folder("billing-peers");
    std::string const file = folder.path() + "/input.json";
    std::ofstream(file) << json::serialize(input);
    return json::parse(testing::output_of({"node", NPM_FOLDER "/stripe.mjs", file}, std::chrono::minutes(1)));
}

testing::HttpResponse post(World const& world, std::string const& payload, std::string const& header)
{
    return world.client().post("/webhooks/payments", payload, {{"Stripe-Signature", header}});
}

} // namespace

TEST_CASE("events signed by the payments provider's package are accepted", "[peers]")
{
    World const world;
    auto const now = core::unix_seconds(world.clock.now());
    std::vector<std::string> payloads;
    for (auto const* status : {"active", "past_due", "canceled"})
        payloads.push_back(body(events::payment("customer.subscription.updated",
            events::subscription({events::item("price_pro")}, {{"status", status}, {"id", status}}))));
    // Indented in the same way as the provider's events, and with any characters in names.
    payloads.push_back(
        "{\n  \"id\": \"evt_pretty\",\n  \"type\": \"customer.created\",\n  \"created\": 1767225600,\n"
        "  \"livemode\": false,\n  \"data\": {\"object\": {\"name\": \"Ad\u00e4 \U0001F600\"}}\n}\n");
    json::array sign;
    for (auto const& payload : payloads)
        sign.push_back(json::object{{"payload", payload}, {"secret", signing_secret}, {"timestamp", now}});
    auto const made = stripe({{"sign", sign}});
    auto const& headers = made.at("headers").as_array();
    REQUIRE(headers.size() == payloads.size());
    for (std::size_t i = 0; i < payloads.size(); ++i) {
        CAPTURE(payloads[i]);
        std::string const header(headers[i].as_string());
        CHECK(post(world, payloads[i] + " ", header).status == 401);
        CHECK(post(world, payloads[i], header).status == 200);
    }
}

TEST_CASE("events signed with another secret, too early or too late are refused", "[peers]")
{
    World const world;
    auto const now = core::unix_seconds(world.clock.now());
    auto const payload = body(
        events::payment("customer.subscription.created", events::subscription({events::item("price_pro")})));
    std::vector<std::pair<std::int64_t, unsigned>> const moments{
        {-301, 401}, {-300, 200}, {300, 200}, {301, 401}, {-1'000'000'000, 401}};
    json::array sign{json::object{{"payload", payload}, {"secret", "whsec_other"}, {"timestamp", now}}};
    for (auto const& [offset, status] : moments)
        sign.push_back(
            json::object{{"payload", payload}, {"secret", signing_secret}, {"timestamp", now + offset}});
    auto const made = stripe({{"sign", sign}});
    auto const& headers = made.at("headers").as_array();
    CHECK(post(world, payload, std::string(headers[0].as_string())).status == 401);
    for (std::size_t i = 0; i < moments.size(); ++i) {
        CAPTURE(moments[i].first);
        CHECK(post(world, payload, std::string(headers[i + 1].as_string())).status == moments[i].second);
    }
    CHECK(world.as_backend().get("/v1/events").json().at("items").as_array().size() == 1);
}

TEST_CASE("during the rotation of a secret both secrets are accepted", "[peers]")
{
    World const world;
    auto backend = world.as_backend("demo");
    auto const now = core::unix_seconds(world.clock.now());
    auto const results = [&] {
        json::array sign;
        std::vector<std::string> payloads;
        for (std::string const secret : {signing_secret, "whsec_new"}) {
            payloads.push_back(body(events::payment("customer.created", {{"id", "cus_1"}})));
            sign.push_back(
                json::object{{"payload", payloads.back()}, {"secret", secret}, {"timestamp", now}});
        }
        auto const made = stripe({{"sign", sign}});
        auto const& headers = made.at("headers").as_array();
        std::vector<unsigned> statuses;
        for (std::size_t i = 0; i < payloads.size(); ++i)
            statuses.push_back(post(world, payloads[i], std::string(headers[i].as_string())).status);
        return statuses;
    };
    auto const set = [&](json::array secrets) {
        REQUIRE(
            backend.patch("/v1/settings", body({{"paymentsSigningSecrets", std::move(secrets)}})).status ==
            200);
    };
    CHECK(results() == std::vector{200U, 401U});
    set({"whsec_new", signing_secret});
    CHECK(results() == std::vector{200U, 200U});
    set({"whsec_new"});
    CHECK(results() == std::vector{401U, 200U});
    set({});
    CHECK(results() == std::vector{401U, 401U});
}

TEST_CASE("the payments provider's package accepts the signatures of the tests", "[peers]")
{
    auto const now = core::SystemClock().now(); // the package uses the real clock
    auto const payload = body(events::payment("customer.created", {{"name", "Ad\u00e4 \U0001F600"}}));
    auto const header = signature(payload, signing_secret, now);
    json::array verify;
    for (auto const& [text, secret] : {std::pair{payload, signing_secret}, std::pair{payload, "whsec_other"},
             std::pair{payload + " ", signing_secret}})
        verify.push_back(json::object{{"payload", text}, {"header", header}, {"secret", secret}});
    CHECK(stripe({{"verify", verify}}).at("taken") == json::array{true, false, false});
}

TEST_CASE("a sync restores a purchase without a webhook", "[peers]")
{
    PurchasesProvider const provider;
    World const world(World::Options{.environment = {{"PURCHASES_API_URL", provider.url()}}});
    REQUIRE(
        world.as_backend("demo").patch("/v1/settings", R"({"purchasesApiKey":"sk_provider"})").status == 200);
    REQUIRE(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "applied");
    auto const before = world.entitlement("pro.monthly");
    world.clock.advance(1min);
    provider.has(
        "ada", {{"pro.monthly", subscription({{"is_sandbox", true}, {"purchase_date", "2026-01-01T00:00:00Z"},
                                    {"expires_date", "2026-03-02T00:00:00Z"}})}});
    auto const r = world.as_backend().post("/v1/sync/ada", "");
    REQUIRE(r.status == 200);
    auto const after = world.entitlement("pro.monthly");
    CHECK(r.json().at("entitlements") == json::array{after});
    CHECK(text(after, "entitlementId") == text(before, "entitlementId"));
    CHECK(text(after, "createdAt") == text(before, "createdAt"));
    CHECK(text(after, "expiresAt") == "2026-03-02T00:00:00.000Z");
    CHECK(r.json().at("changes").as_array().size() == 1);
}
