#include "core/text.hpp"
#include "domain/history.hpp"
#include "events.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

namespace {

namespace json = boost::json;
using events::day, events::ms, events::rfc3339;

std::string new_product(World const& world, std::string_view provider_product_id, json::array features,
    json::object const& more = {})
{
    auto const r = world.as_backend("demo").post("/v1/products",
        body(events::changed({{"providerProductId", provider_product_id}, {"name", "A product"},
                                 {"kind", "subscription"}, {"features", std::move(features)}},
            more)));
    REQUIRE(r.status == 201);
    return text(r.json(), "productId");
}

void happens(World const& world, std::string_view type, json::object const& changes = {})
{
    INFO(type);
    REQUIRE(result_of(world.post_purchase(events::purchase(type, changes))) == "applied");
}

std::string feature(World const& world, std::string const& name, std::string const& user = "ada",
    std::string const& tenant = "demo-sandbox")
{
    auto const r = world.as_backend(tenant).get(
        "/v1/users/" + core::percent_encode(user) + "/features/" + core::percent_encode(name));
    return r.status == 200 ? r.body : error_of(r);
}

std::string granted(std::string const& until)
{
    return R"({"granted":true,"until":)" + (until == "null" ? until : '"' + until + '"') + "}";
}

constexpr auto not_granted = R"({"granted":false,"until":null})";

/// The only entitlement that user `ada` had at this time. Fails the test if the user had none or several.
json::object as_of(World const& world, std::int64_t seconds)
{
    auto const r = world.as_backend().get("/v1/users/ada/entitlements?at=" + rfc3339(seconds));
    REQUIRE(r.status == 200);
    auto const found = r.json().at("entitlements").as_array();
    REQUIRE(found.size() == 1);
    return found[0].as_object();
}

std::size_t count_as_of(World const& world, std::int64_t seconds)
{
    return world.as_backend()
        .get("/v1/users/ada/entitlements?at=" + rfc3339(seconds))
        .json()
        .at("entitlements")
        .as_array()
        .size();
}

} // namespace

TEST_CASE("an entitlement shows the product as it is in the catalog now", "[entitlements]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE");
    auto const raw = world.entitlement("pro.monthly");
    CHECK(text(raw, "userId") == "ada");
    CHECK(text(raw, "source") == "purchases");
    CHECK(raw.at("productId").is_null());
    CHECK(text(raw, "environment") == "sandbox");
    CHECK(text(raw, "status") == "active");
    CHECK(raw.at("isActive") == true);
    CHECK(raw.at("features") == json::array());
    CHECK(raw.at("grants") == json::array());
    CHECK(text(raw, "purchasedAt") == rfc3339(-60));
    CHECK(text(raw, "expiresAt") == rfc3339(30 * day));
    CHECK(raw.at("willRenew") == true);
    CHECK(text(raw, "lastEventType") == "INITIAL_PURCHASE");
    CHECK(text(raw, "lastEventAt") == rfc3339(0));

    auto const grants = json::array{json::object{{"name", "seats"}, {"quantity", 5}}};
    auto const product = new_product(world, "pro.monthly", {"export"}, {{"grants", grants}});
    auto const resolved = world.entitlement("pro.monthly");
    CHECK(text(resolved, "entitlementId") == text(raw, "entitlementId"));
    CHECK(text(resolved, "productId") == product);
    CHECK(resolved.at("features") == json::array{"export"});
    CHECK(resolved.at("grants") == grants);
    CHECK(text(resolved, "updatedAt") == text(raw, "updatedAt"));

    REQUIRE(
        world.as_backend("demo").patch("/v1/products/" + product, R"({"features":["sync"]})").status == 200);
    CHECK(world.entitlement("pro.monthly").at("features") == json::array{"sync"});
    REQUIRE(world.as_backend("demo").del("/v1/products/" + product).status == 200);
    CHECK(world.entitlement("pro.monthly") == raw);
}

TEST_CASE("a user's entitlements are the same by path and by query", "[entitlements]")
{
    World const world;
    auto backend = world.as_backend();
    happens(world, "INITIAL_PURCHASE");
    happens(world, "INITIAL_PURCHASE", {{"app_user_id", "bob"}, {"product_id", "other"}});
    auto const by_path = backend.get("/v1/users/ada/entitlements");
    CHECK(by_path.json().at("entitlements").as_array().size() == 1);
    CHECK(backend.get("/v1/entitlements?userId=ada").body == by_path.body);
    CHECK(backend.get("/v1/users/nobody/entitlements").body == R"({"userId":"nobody","entitlements":[]})");
    CHECK(world.as_backend("demo").get("/v1/users/ada/entitlements").body ==
          R"({"userId":"ada","entitlements":[]})");
    CHECK(world.as_backend("other-sandbox").get("/v1/users/ada/entitlements").body ==
          R"({"userId":"ada","entitlements":[]})");

    CHECK(faults_of(backend.get("/v1/entitlements")) == "?userId required");
    CHECK(faults_of(backend.get("/v1/entitlements?userId=")) == "?userId too_short");
    std::string const longest(255, 'x');
    CHECK(backend.get("/v1/users/" + longest + "/entitlements").status == 200);
    CHECK(faults_of(backend.get("/v1/users/" + longest + "x/entitlements")) == ":userId too_long");
    CHECK(backend.get("/v1/users/%00/entitlements").status == 404);
    CHECK(backend.get("/v1/users/%FF/entitlements").status == 404);
    CHECK(world.as_user("ada", "user").get("/v1/users/ada/entitlements").status == 403);
    CHECK(world.as_user("ada", "admin").get("/v1/users/ada/entitlements").status == 200);
    CHECK(world.client().get("/v1/users/ada/entitlements").status == 401);
}

TEST_CASE("user ids are compared bytewise", "[entitlements]")
{
    World const world;
    std::vector<std::string> const users{"ada", "Ada", " ada", "ada ", "a/b", "a%2Fb", "\u00C5", "A\u030A",
        "\U0001F469\u200D\U0001F680", "\u0627\u0644", "null", "'", "\\", "\"", "$RCAnonymousID:1"};
    for (auto const& user : users)
        happens(world, "INITIAL_PURCHASE", {{"app_user_id", user}});
    for (auto const& user : users) {
        CAPTURE(user);
        auto const found = world.entitlements(user);
        REQUIRE(found.size() == 1);
        CHECK(text(found[0], "userId") == user);
    }
}

TEST_CASE("an entitlement stops being active at its end, regardless of its status", "[entitlements]")
{
    World world;
    new_product(world, "pro.monthly", {"export"});
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", ms(3600)}});
    world.clock.set(testing::FakeClock::start + 59min);
    CHECK(world.entitlement("pro.monthly").at("isActive") == true);
    CHECK(feature(world, "export") == granted(rfc3339(3600)));
    world.clock.set(testing::FakeClock::start + 60min);
    auto const over = world.entitlement("pro.monthly");
    CHECK(over.at("isActive") == false);
    CHECK(text(over, "status") == "active");
    CHECK(feature(world, "export") == not_granted);
}

TEST_CASE("a stated grace period extends the entitlement and its features", "[entitlements]")
{
    World world;
    new_product(world, "pro.monthly", {"export"});
    happens(world, "RENEWAL", {{"expiration_at_ms", ms(3600)}, {"grace_period_expiration_at_ms", ms(7200)}});
    world.clock.set(testing::FakeClock::start + 90min);
    CHECK(world.entitlement("pro.monthly").at("isActive") == true);
    CHECK(text(world.entitlement("pro.monthly"), "expiresAt") == rfc3339(3600));
    CHECK(feature(world, "export") == granted(rfc3339(7200)));
    world.clock.set(testing::FakeClock::start + 120min);
    CHECK(world.entitlement("pro.monthly").at("isActive") == false);
    CHECK(feature(world, "export") == not_granted);
}

TEST_CASE("a feature is granted until the last entitlement with it ends", "[features]")
{
    World const world;
    auto backend = world.as_backend();
    auto const monthly = new_product(world, "pro.monthly", {"export", "a/b & ü"});
    new_product(world, "pro.yearly", {"export"});
    new_product(world, "lifetime", {"sync"});
    CHECK(feature(world, "export") == not_granted);
    happens(world, "INITIAL_PURCHASE");
    CHECK(feature(world, "export") == granted(rfc3339(30 * day)));
    CHECK(feature(world, "a/b & ü") == granted(rfc3339(30 * day)));
    CHECK(feature(world, "EXPORT") == not_granted);
    CHECK(feature(world, "unheard-of") == not_granted);
    CHECK(feature(world, "export", "bob") == not_granted);
    CHECK(feature(world, "export", "ada", "demo") == not_granted);

    happens(world, "INITIAL_PURCHASE", {{"product_id", "pro.yearly"}, {"expiration_at_ms", ms(365 * day)}});
    CHECK(feature(world, "export") == granted(rfc3339(365 * day)));
    happens(world, "INITIAL_PURCHASE", {{"product_id", "lifetime"}, {"expiration_at_ms", nullptr}});
    CHECK(feature(world, "sync") == granted("null"));
    REQUIRE(world.as_backend("demo")
                .patch("/v1/products/" + monthly, R"({"features":["export","sync"]})")
                .status == 200);
    CHECK(feature(world, "sync") == granted("null"));

    happens(world, "EXPIRATION", {{"product_id", "pro.yearly"}, {"event_timestamp_ms", ms(1)}});
    CHECK(feature(world, "export") == granted(rfc3339(30 * day)));
    happens(world, "SUBSCRIPTION_PAUSED", {{"event_timestamp_ms", ms(1)}});
    CHECK(feature(world, "export") == not_granted);
    CHECK(world.as_user("ada", "user").get("/v1/users/ada/features/export").status == 403);
    CHECK(backend.get("/v1/users/" + std::string(256, 'x') + "/features/export").status == 400);
}

TEST_CASE("an as-of read follows the times that the events state", "[entitlements]")
{
    World world;
    // The events arrive late and out of order, but only the times that they state count.
    happens(world, "RENEWAL", {{"event_timestamp_ms", ms(30 * day)}, {"expiration_at_ms", ms(60 * day)}});
    auto const late = events::purchase("CANCELLATION", {{"event_timestamp_ms", ms(10 * day)}});
    REQUIRE(result_of(world.post_purchase(late)) == "stale");
    REQUIRE(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "stale");
    happens(world, "EXPIRATION", {{"event_timestamp_ms", ms(60 * day)}, {"expiration_at_ms", ms(60 * day)}});

    CHECK(count_as_of(world, -1) == 0);
    CHECK(text(as_of(world, 0), "lastEventType") == "INITIAL_PURCHASE");
    CHECK(as_of(world, 9 * day).at("willRenew") == true);
    CHECK(as_of(world, 10 * day).at("willRenew") == false);
    CHECK(as_of(world, 10 * day).at("isActive") == true);
    CHECK(text(as_of(world, 30 * day), "expiresAt") == rfc3339(60 * day));
    CHECK(text(as_of(world, 60 * day - 1), "status") == "active");
    CHECK(as_of(world, 60 * day - 1).at("isActive") == true);
    CHECK(as_of(world, 60 * day) == world.entitlement("pro.monthly"));
    CHECK(text(as_of(world, 90 * day), "status") == "expired");

    for (auto const* bad : {"yesterday", "2026-01-01", "", "1767225600"})
        CHECK(faults_of(world.as_backend().get(std::string("/v1/users/ada/entitlements?at=") + bad)) ==
              "?at format");
}

TEST_CASE("as-of reads include card payments and manual grants", "[entitlements]")
{
    World world;
    auto const subscribed = [&](std::string_view status, std::int64_t at) {
        REQUIRE(result_of(world.post_payment(events::payment(
                    status == "active" ? "customer.subscription.created" : "customer.subscription.updated",
                    events::subscription({events::item("price_pro")}, {{"status", status}}),
                    {{"created", events::s(at)}}))) == "applied");
    };
    subscribed("active", 0);
    subscribed("unpaid", day);
    CHECK(text(as_of(world, 0), "status") == "active");
    CHECK(text(as_of(world, day), "status") == "expired");

    auto const product = new_product(world, "gift", {});
    world.clock.set(testing::FakeClock::start + 48h);
    auto const given = world.as_backend().post("/v1/users/ada/grants", body({{"productId", product}}));
    REQUIRE(given.status == 201);
    world.clock.set(testing::FakeClock::start + 72h);
    auto const path = "/v1/users/ada/grants/" + text(given.json(), "entitlementId");
    REQUIRE(world.as_backend().del(path).status == 200);
    CHECK(count_as_of(world, 2 * day - 1) == 1);
    CHECK(count_as_of(world, 2 * day) == 2);
    auto const status_of_gift = [&](std::int64_t at) {
        auto const r = world.as_backend().get("/v1/users/ada/entitlements?at=" + rfc3339(at)).json();
        for (auto const& e : r.at("entitlements").as_array())
            if (text(e, "source") == "manual") return text(e, "status");
        return std::string();
    };
    CHECK(status_of_gift(2 * day) == "active");
    CHECK(status_of_gift(3 * day) == "expired");
}

TEST_CASE("an as-of read uses each entitlement decided by that time as stored, and the events for all others",
    "[entitlements]")
{
    using billing::Entitlement, billing::Source, billing::Status;
    auto const at = [](int hours) { return testing::FakeClock::start + std::chrono::hours(hours); };
    auto const make = [&](Source source, char const* product, Status status, int decided) {
        Entitlement e;
        e.id = billing::entitlement_id(core::ScopeId{2}, source, core::UserId("ada"), product);
        e.source = source;
        e.provider_product_id = product;
        e.status = status;
        e.purchased_at = at(1);
        e.created_at = at(1);
        e.last.at = at(decided);
        return e;
    };
    auto const synced = make(Source::purchases, "a", Status::expired, 5);
    auto const before = make(Source::purchases, "a", Status::active, 2);
    auto const given = make(Source::manual, "b", Status::expired, 6);
    auto const found = [&](int hours) {
        std::string all;
        for (auto const& e : billing::entitlements_as_of(at(hours), {synced, given}, {before}))
            all += e.provider_product_id + ' ' + std::string(to_string(e.status)) + '\n';
        std::vector<std::string> lines;
        std::istringstream text(all);
        for (std::string line; std::getline(text, line);)
            lines.push_back(line);
        std::ranges::sort(lines);
        return lines;
    };
    using Lines = std::vector<std::string>;
    CHECK(found(3) == Lines{"a active", "b active"});
    CHECK(found(5) == Lines{"a expired", "b active"});
    CHECK(found(6) == Lines{"a expired", "b expired"});
    CHECK(billing::entitlements_as_of(at(0), {synced, given}, {}).empty());
}
