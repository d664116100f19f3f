#include "syncing.hpp"

#include <atomic>
#include <future>
#include <map>
#include <thread>

namespace {

namespace json = boost::json;

std::string new_product(World const& world, std::string_view provider_product_id)
{
    auto const r = world.as_backend("demo").post("/v1/products",
        body({{"providerProductId", provider_product_id}, {"name", "A product"}, {"kind", "subscription"}}));
    REQUIRE(r.status == 201);
    return text(r.json(), "productId");
}

} // namespace

TEST_CASE("a sync restores purchases that no webhook reported, in both environments", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.has("ada",
        {{"pro", subscription()}, {"old", subscription({{"expires_date", "2025-12-31T12:00:00Z"}})},
            {"plan", subscription({{"product_plan_identifier", "yearly"}, {"store", "play_store"}})},
            {"tried", subscription({{"is_sandbox", true}})}},
        {{"coins", json::array{purchase("t-1"), purchase("t-2")}}});

    auto const first = sync(world);
    REQUIRE(first.status == 200);
    CHECK(text(first.json(), "userId") == "ada");
    CHECK(lines(first.json().at("entitlements")) ==
          "coins active\nold expired\nplan:yearly active\npro active\n");
    CHECK(first.json().at("entitlements").as_array().size() == 5); // the user has bought coins twice
    auto const changes = first.json().at("changes").as_array();
    CHECK(changes.size() == 6);
    CHECK(std::ranges::all_of(changes, [](auto const& c) { return c.at("from").is_null(); }));
    CHECK(lines(json::parse(entitlements_of(world, "ada", "demo-sandbox")).at("entitlements")) ==
          "tried active\n");
    CHECK(provider.seen().front().at("authorization") == "Bearer sk_provider");

    auto const again = sync(world);
    CHECK(again.json().at("changes").as_array().empty());
    CHECK(lines(again.json().at("entitlements")) == lines(first.json().at("entitlements")));
    CHECK(lines(sync(world, "ada", "demo-sandbox").json().at("entitlements")) == "tried active\n");
    CHECK(provider.seen("ada") == 3);
}

TEST_CASE("purchases that the provider no longer lists expire, and their rows are kept", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.has("ada", one("pro"), {{"coins", json::array{purchase("t-1")}}});
    auto const first = sync(world).json();
    REQUIRE(lines(first.at("entitlements")) == "coins active\npro active\n");

    provider.answers("ada", {{"status", 201}}); // the provider did not know the user
    world.clock.advance(1h);
    auto const gone = sync(world);
    REQUIRE(gone.status == 200);
    CHECK(lines(gone.json().at("entitlements")) == "coins expired\npro expired\n");
    auto const changes = gone.json().at("changes").as_array();
    REQUIRE(changes.size() == 2);
    for (auto const& change : changes) {
        CHECK(text(change, "from") == "active");
        CHECK(text(change, "to") == "expired");
    }
    std::set<std::string> ids, before;
    auto const now = core::to_rfc3339(world.clock.now());
    for (auto const& e : gone.json().at("entitlements").as_array()) {
        ids.insert(text(e, "entitlementId"));
        CHECK(text(e, "accessUntil") == now);
        CHECK(e.at("isActive") == false);
        // The end of a period stays. A consumable has no period, so it ends now.
        bool const is_consumable = text(e, "providerProductId") == "coins";
        CHECK(text(e, "expiresAt") == (is_consumable ? now : "2026-02-01T00:00:00.000Z"));
    }
    for (auto const& e : first.at("entitlements").as_array())
        before.insert(text(e, "entitlementId"));
    CHECK(ids == before);
}

TEST_CASE("a sync does not change card payments and manual grants", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    json::object const live{{"livemode", true}};
    REQUIRE(result_of(world.post_payment(events::payment("customer.subscription.created",
                                             events::subscription({events::item("price_pro")}, live), live),
                "demo")) == "applied");
    auto const product = new_product(world, "gift");
    REQUIRE(
        world.as_backend("demo").post("/v1/users/ada/grants", body({{"productId", product}})).status == 201);
    auto const before = entitlements_of(world);
    REQUIRE(lines(json::parse(before).at("entitlements")) == "gift active\nprice_pro active\n");
    provider.has("ada", {});
    auto const r = sync(world);
    REQUIRE(r.status == 200);
    CHECK(r.json().at("changes").as_array().empty());
    CHECK(entitlements_of(world) == before);
}

TEST_CASE("a sync without a key is refused", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    auto const r = sync(world);
    CHECK(r.status == 409);
    CHECK(error_of(r) == "PURCHASES_API_NOT_CONFIGURED");
    CHECK(error_of(sync_with(world, "purchases")) == "PURCHASES_API_NOT_CONFIGURED");
    CHECK(error_of(sync_with(world, "payments")) == "PAYMENTS_API_NOT_CONFIGURED");
    for (std::string const source : {"manual", "stripe", ""})
        CHECK(faults_of(sync_with(world, source)).starts_with("?source "));
    CHECK(provider.seen().empty());
    CHECK(world.as_user("ada", "user", "demo").post("/v1/sync/ada", "").status == 403);
    CHECK(world.client("demo").post("/v1/sync/ada", "").status == 401);
    CHECK(sync(world, std::string(256, 'x')).status == 400);
}

TEST_CASE("a sync changes nothing if the provider fails", "[sync]")
{
    Synced const synced;
    auto const& [provider, world, before] = synced;
    world.clock.advance(1h);
    for (auto const& [what, answer] : std::map<std::string, json::object>{
             {"unknown", {{"status", 404}, {"text", R"({"code":7259})"}}},
             {"refused", {{"status", 401}, {"text", "{}"}}},
             {"limited", {{"status", 429}, {"text", "{}"}, {"headers", json::object{{"retry-after", "60"}}}}},
             {"broken", {{"status", 500}, {"text", "oops"}}},
             {"redirected", {{"status", 302}, {"text", ""}, {"headers", json::object{{"location", "/"}}}}},
             {"empty", {{"status", 204}, {"text", ""}}},
             {"cut off", {{"deed", "drop"}}},
             {"a page", {{"text", "<html></html>"}}},
             {"half a document", {{"text", R"({"subscriber":{"subscriptions":{"pro":)"}}},
             {"another document", {{"text", R"({"value":1})"}}},
             {"too deep", {{"text", std::string(1000, '[')}}},
         }) {
        CAPTURE(what);
        provider.answers("ada", answer);
        auto const r = sync(world);
        CHECK(r.status == 502);
        CHECK(error_of(r) == "UPSTREAM_ERROR");
        CHECK(entitlements_of(world) == before);
    }
    provider.has("ada", one("pro", {{"refunded_at", "2025-12-31T18:00:00Z"}}));
    CHECK(lines(sync(world).json().at("entitlements")) == "pro expired\n");
}

TEST_CASE("a sync fails if the provider hangs, even in the middle of a response", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.answers("ada", {{"deed", "hang"}});
    provider.answers("bob", {{"deed", "trickle"}, {"document", json::object()}});
    auto hanging = std::async(std::launch::async, [&] { return sync(world, "ada"); });
    auto trickling = std::async(std::launch::async, [&] { return sync(world, "bob"); });
    for (auto* request : {&hanging, &trickling}) {
        auto const r = request->get();
        CHECK(r.status == 502);
        CHECK(error_of(r) == "UPSTREAM_ERROR");
    }
    World const nobody; // no provider listens at its address
    set_api_key(nobody);
    CHECK(sync(nobody).status == 502);
}

TEST_CASE("a sync shows the store, the price and the kind of the period", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    json::object const price{{"amount", 4.99}, {"currency", "EUR"}};
    provider.has("ada", one("pro", {{"store", "play_store"}, {"period_type", "trial"}, {"price", price},
                                       {"store_transaction_id", "GPA.1234"}}));
    REQUIRE(sync(world).status == 200);
    auto const pro = world.entitlement("pro", "ada", "demo");
    CHECK(text(pro, "store") == "PLAY_STORE");
    CHECK(text(pro, "periodType") == "trial");
    CHECK(text(pro, "trialEndsAt") == "2026-02-01T00:00:00.000Z");
    CHECK(pro.at("price") == json::value{{"amount", 499}, {"currency", "EUR"}});
    CHECK(pro.at("quantity") == 1);
    CHECK(text(pro, "transactionId") == "GPA.1234");
    CHECK(text(pro, "lastEventType") == "SYNC");
    // Access continues for the leeway while the renewal is awaited.
    CHECK(text(pro, "accessUntil") == "2026-02-01T01:00:00.000Z");
}

TEST_CASE("a promotional purchase is synced like others", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    auto const promo = [](char const* end) {
        return one("rc_promo_pro_monthly",
            {{"store", "promotional"}, {"period_type", "normal"}, {"expires_date", end}});
    };
    provider.has("ada", promo("2026-02-01T00:00:00Z"));
    REQUIRE(sync(world).status == 200);
    auto const held = world.entitlement("rc_promo_pro_monthly", "ada", "demo");
    CHECK(held.at("willRenew") == false);
    CHECK(text(held, "store") == "PROMOTIONAL");
    CHECK(text(held, "accessUntil") == "2026-02-01T00:00:00.000Z");
    world.clock.advance(1h);
    provider.has("ada", {});
    REQUIRE(sync(world).status == 200);
    CHECK(lines_of(world) == "rc_promo_pro_monthly expired\n");
}

TEST_CASE("user ids reach the provider unchanged", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    for (std::string const user : {".", "..", "a/b", "a%2Fb", "50% off?#", " spaces ", "üñî☃", "\U0001F600",
             "$RCAnonymousID:87c6049c58069238dce29853916d624c", "A\u030A", "x'; DROP TABLE syncs;--"}) {
        CAPTURE(user);
        provider.has(user, one("pro"));
        auto const r = sync(world, user);
        REQUIRE(r.status == 200);
        CHECK(text(r.json(), "userId") == user);
        CHECK(lines(r.json().at("entitlements")) == "pro active\n");
        CHECK(provider.seen(user) == 1);
    }
}

TEST_CASE("syncs of one user run one after the other, and each sends a request to the provider", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.has("ada", one("pro"), {}, {{"held", true}});
    provider.has("bob", one("pro"), {}, {{"held", true}});
    std::vector<std::future<testing::HttpResponse>> syncs;
    for (auto const* user : {"ada", "ada", "ada", "bob"})
        syncs.push_back(std::async(std::launch::async, [&world, user] { return sync(world, user); }));
    REQUIRE(eventually([&] { return provider.waiting() == 2; }));
    CHECK(provider.seen("ada") == 1);
    provider.release();
    for (auto& request : syncs)
        CHECK(request.get().status == 200);
    CHECK(provider.seen("ada") == 3);
    CHECK(provider.seen("bob") == 1);
    CHECK(world.postgres.query("SELECT count(*) FROM syncs") == "0");
    CHECK(world.postgres.query("SELECT count(*) FROM entitlements") == "2");
}

TEST_CASE("a tenant with a slow provider does not delay the syncs of others", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world, "demo");
    set_api_key(world, "other");
    provider.has("*", one("pro"), {}, {{"held", true}});
    provider.has("bob", one("pro"));
    std::vector<std::future<testing::HttpResponse>> slow;
    for (int i = 0; i < 20; ++i)
        slow.push_back(
            std::async(std::launch::async, [&world, i] { return sync(world, "user " + std::to_string(i)); }));
    REQUIRE(eventually([&] { return provider.waiting() >= 4; }));
    CHECK(sync(world, "bob", "other").status == 200);
    CHECK(provider.waiting() == 4);
    provider.release();
    for (auto& request : slow)
        CHECK(request.get().status == 200);
}

TEST_CASE("the provider's Retry-After is passed on to the caller, and the reconciler obeys it", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.answers(
        "ada", {{"status", 429}, {"text", "{}"}, {"headers", json::object{{"retry-after", "600"}}}});
    auto const r = sync(world);
    CHECK(r.status == 502);
    CHECK(r.header("retry-after") == "600");
    CHECK(world.postgres.query("SELECT user_id = '' AND not_before = '2026-01-01T00:10:00Z' FROM syncs") ==
          "t");
    // The delay does not apply to a sync that a caller requests.
    provider.has("ada", one("pro"));
    CHECK(sync(world).status == 200);
}

TEST_CASE("a failed sync writes no row", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.answers("*", {{"status", 500}, {"text", "oops"}});
    for (auto const* user : {"ada", "bob", "nobody"})
        CHECK(sync(world, user).status == 502);
    CHECK(world.postgres.query("SELECT count(*) FROM syncs") == "0");
}

TEST_CASE("a user with very many purchases is synced, and each change is published", "[sync]")
{
    constexpr std::size_t many = 2000;
    PurchasesProvider const provider;
    World world(options_for(provider));
    set_api_key(world);
    json::array coins;
    for (std::size_t n = 0; n < many; ++n)
        coins.push_back(purchase(std::to_string(n)));
    provider.has("ada", one("pro"), {{"coins", std::move(coins)}});
    auto const r = sync(world).json();
    CHECK(r.at("changes").as_array().size() == many + 1);
    std::set<std::string> ids;
    for (auto const& e : r.at("entitlements").as_array()) {
        ids.insert(text(e, "entitlementId"));
        CHECK(text(e, "createdAt") == text(e, "updatedAt"));
    }
    CHECK(ids.size() == many + 1);
    world.clock.advance(1h);
    CHECK(sync(world).json().at("changes").as_array().empty());
    CHECK(world.postgres.query("SELECT min(revision) = 2 AND max(revision) = 2 FROM entitlements") == "t");

    REQUIRE(world.as_backend("demo").post("/v1/webhooks", R"({"url":"http://127.0.0.1:9/"})").status == 201);
    provider.has("ada", one("pro"), {{"coins", json::array{purchase("0")}}});
    world.clock.advance(1h);
    CHECK(sync(world).json().at("changes").as_array().size() == many - 1);
    CHECK(world.postgres.query("SELECT count(*) FROM webhook_deliveries") == std::to_string(many - 1));
}

TEST_CASE("the changes of a sync are in the audit trail of their environment", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.has("ada", {{"pro", subscription()}, {"tried", subscription({{"is_sandbox", true}})}});
    auto const id = text(sync(world).json().at("entitlements").at(0), "entitlementId");
    REQUIRE(sync(world).status == 200);
    for (std::string const tenant : {"demo", "demo-sandbox"}) {
        auto const entries = world.as_backend(tenant)
                                 .get("/v1/audit?action=entitlements.synced")
                                 .json()
                                 .at("items")
                                 .as_array();
        REQUIRE(entries.size() == 1);
        CHECK(text(entries[0], "subjectId") == "ada");
        CHECK(entries[0].at("after").as_object().size() == 1);
        CHECK(entries[0].at("after").as_object().contains(id) == (tenant == "demo"));
    }
}

TEST_CASE("the request to the provider carries the trace of the request", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.has("ada", {{"pro", subscription()}});
    std::string const trace = "0af7651916cd43dd8448eb211c80319c";
    auto const r = world.as_backend("demo").post(
        "/v1/sync/ada", "", {{"traceparent", "00-" + trace + "-b7ad6b7169203331-01"}});
    REQUIRE(r.status == 200);
    auto const seen = provider.seen();
    REQUIRE(seen.size() == 1);
    CHECK(text(seen[0], "trace").starts_with("00-" + trace + "-"));
}

TEST_CASE("responses of the provider are counted", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.has("ada", {{"pro", subscription()}});
    provider.answers("bob", {{"status", 503}});
    CHECK(sync(world, "ada").status == 200);
    CHECK(sync(world, "bob").status == 502);
    auto const shown = world.host->metrics().expose();
    for (std::string const answer : {"accepted", "unavailable"}) {
        INFO(shown);
        CHECK(shown.find("tetrad_provider_answers_total{answer=\"" + answer +
                         "\",provider=\"purchases\",service=\"billing\"} 1\n") != std::string::npos);
    }
}
