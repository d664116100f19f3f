#include "erasing.hpp"
#include "syncing.hpp"

#include <algorithm>
#include <future>

// Syncs of a user with the payments provider. Its keys for test mode write the sandbox.

namespace {

namespace json = boost::json;

json::object of_user(std::string_view user)
{
    return {{"metadata", json::object{{"userId", user}}}};
}

/// The failure of all requests from now on.
json::object refusal(unsigned status, json::object headers = {})
{
    return {{"times", nullptr}, {"status", status}, {"headers", std::move(headers)}};
}

/// A tenant with a key for the provider's test mode.
struct Fixture {
    Fixture() { set_payments_key(world); }

    /// Posts an event about the subscription `sub_1` of ada, `seconds` after the start time.
    std::string happens(std::string_view type, json::object const& changes = {}, std::int64_t seconds = 0,
        std::string const& tenant = "demo-sandbox") const
    {
        bool const live = tenant == "demo";
        auto const object =
            events::changed(events::subscription({events::item("price_pro")}, changes), {{"livemode", live}});
        return result_of(world.post_payment(
            events::payment(type, object, {{"created", events::s(seconds)}, {"livemode", live}}), tenant));
    }

    std::string status(std::string const& user = "ada", std::string const& tenant = "demo-sandbox") const
    {
        return text(world.entitlement("price_pro", user, tenant), "status");
    }

    /// The number of requests for a path.
    std::ptrdiff_t seen(std::string_view path) const
    {
        auto const requests = provider.seen();
        return std::ranges::count_if(
            requests, [&](json::object const& request) { return text(request, "path") == path; });
    }

    PaymentsProvider const provider;
    World const world{options_for(provider)};
};

json::array changes_of(testing::HttpResponse const& response)
{
    return require(200, response).json().at("changes").as_array();
}

constexpr auto created = "customer.subscription.created";
constexpr auto updated = "customer.subscription.updated";
constexpr auto deleted = "customer.subscription.deleted";

} // namespace

TEST_CASE_METHOD(Fixture, "a sync restores subscriptions that no webhook reported", "[sync]")
{
    provider.has({card_subscription("sub_1"), card_subscription("sub_2", of_user("bob"))});
    auto const r = sync(world);
    auto const changes = changes_of(r);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].at("from").is_null());
    CHECK(text(changes[0], "to") == "active");
    CHECK(r.json().at("entitlements").as_array().empty()); // of production
    auto const shown = world.entitlement("price_pro");
    CHECK(text(shown, "entitlementId") == text(changes[0], "entitlementId"));
    CHECK(text(shown, "status") == "active");
    CHECK(text(shown, "store") == "STRIPE");
    CHECK(text(shown, "transactionId") == "sub_1");
    CHECK(text(shown, "lastEventType") == "SYNC");
    CHECK(text(shown, "expiresAt") == events::rfc3339(30 * events::day));
    CHECK(world.entitlements("bob").empty());
    CHECK(archived_syncs(world, "demo-sandbox") == "1");

    // A subscription that has not changed is not archived again.
    world.clock.advance(1h);
    CHECK(changes_of(sync(world)).empty());
    CHECK(archived_syncs(world, "demo-sandbox") == "1");
    CHECK(world.entitlement("price_pro") == shown);
    auto const audit = world.as_backend().get("/v1/audit?action=entitlements.synced").json();
    CHECK(audit.at("items").as_array().size() == 1);
}

TEST_CASE_METHOD(Fixture, "a sync does not write the state that webhooks reported", "[sync]")
{
    REQUIRE(happens(created) == "applied");
    provider.has({card_subscription("sub_1")});
    auto const before = world.entitlement("price_pro");
    CHECK(changes_of(sync(world)).empty());
    CHECK(world.entitlement("price_pro") == before);
    CHECK(archived_syncs(world, "demo-sandbox") == "0");
    // An invoice that was paid since does not count as a difference, because the period is the same.
    auto const invoice = events::invoice("price_pro",
        {{"lines",
            events::list({json::object{{"id", "il_1"}, {"object", "line_item"}, {"amount", 999},
                {"parent", json::object{{"type", "subscription_item_details"},
                               {"subscription_item_details", json::object{{"subscription", "sub_1"}}}}},
                {"period", json::object{{"start", events::s(0)}, {"end", events::s(30 * events::day)}}},
                {"pricing", json::object{{"type", "price_details"},
                                {"price_details", json::object{{"price", "price_pro"}}}}}}})}});
    REQUIRE(result_of(world.post_payment(
                events::payment("invoice.paid", invoice, {{"created", events::s(2)}}))) == "applied");
    CHECK(changes_of(sync(world)).empty());
    CHECK(archived_syncs(world, "demo-sandbox") == "0");
}

TEST_CASE_METHOD(Fixture, "a sync repairs a state whose events were lost", "[sync]")
{
    REQUIRE(happens(created) == "applied");
    provider.has({card_subscription("sub_1", {{"status", "canceled"}, {"ended_at", events::s(0)}})});
    auto const changes = changes_of(sync(world));
    REQUIRE(changes.size() == 1);
    CHECK(text(changes[0], "from") == "active");
    CHECK(text(changes[0], "to") == "expired");
    CHECK(status() == "expired");
    CHECK(archived_syncs(world, "demo-sandbox") == "1");
    // Older events are stale, later ones apply.
    CHECK(happens(updated, {}, -10) == "stale");
    CHECK(status() == "expired");
    CHECK(happens(updated, {}, 10) == "applied");
    CHECK(status() == "active");
}

TEST_CASE_METHOD(Fixture,
    "a sync replaces the events that were received before its request, whatever the clocks say", "[sync]")
{
    REQUIRE(happens(created, {}, 3600) == "applied");
    provider.has({card_subscription("sub_1", {{"status", "paused"}})});
    CHECK(changes_of(sync(world)).size() == 1);
    CHECK(status() == "paused");
    // Another sync in the same instant counts as later.
    provider.has({card_subscription("sub_1")});
    CHECK(changes_of(sync(world)).size() == 1);
    CHECK(status() == "active");
    CHECK(happens(deleted, {}, 3599) == "stale");
    CHECK(happens(deleted, {}, 3601) == "applied");
}

TEST_CASE_METHOD(Fixture, "an event that arrives during the request is not overwritten", "[sync]")
{
    REQUIRE(happens(created) == "applied");
    provider.has({card_subscription("sub_1")});
    provider.set({{"held", true}});
    auto request = std::async(std::launch::async, [&] { return sync(world); });
    REQUIRE(eventually([&] { return provider.waiting() == 1; }));
    REQUIRE(happens(deleted, {{"status", "canceled"}, {"ended_at", events::s(0)}}, 30) == "applied");
    provider.release();
    CHECK(changes_of(request.get()).empty());
    CHECK(status() == "expired");
}

TEST_CASE_METHOD(Fixture, "an event of the second of the request is later than what was fetched", "[sync]")
{
    provider.set({{"now", events::s(0)}});
    provider.has({card_subscription("sub_1", {{"status", "incomplete"}})});
    CHECK(changes_of(sync(world)).size() == 1);
    CHECK(status() == "expired");
    CHECK(happens(updated) == "applied");
    CHECK(status() == "active");
}

TEST_CASE_METHOD(Fixture, "a subscription that the provider does not know any more has ended", "[sync]")
{
    REQUIRE(happens(created) == "applied");
    provider.has({});
    auto const changes = changes_of(sync(world));
    REQUIRE(changes.size() == 1);
    CHECK(text(changes[0], "to") == "expired");
    auto const shown = world.entitlement("price_pro");
    CHECK(shown.at("isActive") == false);
    CHECK(text(shown, "accessUntil") == core::to_rfc3339(world.clock.now()));
    CHECK(text(shown, "lastEventType") == "SYNC");
    CHECK(archived_syncs(world, "demo-sandbox") == "1");
    // A subscription that has ended never changes, so the provider is not asked about it again.
    CHECK(changes_of(sync(world)).empty());
    CHECK(seen("/v1/subscriptions/sub_1") == 1);
}

TEST_CASE_METHOD(Fixture, "a status 404 of another cause ends nothing", "[sync]")
{
    REQUIRE(happens(created) == "applied");
    provider.fails({json::object{{"path", "/v1/subscriptions/sub_1"}, {"times", nullptr}, {"status", 404}}});
    CHECK(error_of(sync(world)) == "UPSTREAM_ERROR");
    CHECK(status() == "active");
}

TEST_CASE_METHOD(Fixture, "a key ends only subscriptions of its own mode", "[sync]")
{
    REQUIRE(happens(created) == "applied");
    REQUIRE(happens(created, {{"id", "sub_live"}}, 0, "demo") == "applied");
    provider.has({});
    SECTION("a key of live mode")
    {
        set_payments_key(world, "rk_live_provider");
        CHECK(changes_of(sync(world)).size() == 1);
        CHECK(status("ada", "demo") == "expired");
        CHECK(status() == "active");
        CHECK(seen("/v1/subscriptions/sub_1") == 0);
    }
    SECTION("a key that does not show its mode")
    {
        set_payments_key(world, "sk_provider");
        CHECK(changes_of(sync(world)).empty());
        // The provider's objects show it.
        provider.has(
            {card_subscription("sub_other", {{"items", json::array{json::object{{"price", "b"}}}}})});
        CHECK(changes_of(sync(world)).size() == 2);
        CHECK(status() == "expired");
        CHECK(status("ada", "demo") == "active");
    }
}

TEST_CASE_METHOD(Fixture, "a sync finds stored subscriptions that a search does not find", "[sync]")
{
    REQUIRE(happens(created) == "applied");
    SECTION("because its index is old")
    {
        provider.has({card_subscription("sub_1", {{"status", "paused"}})});
        provider.set({{"hidden", json::array{"sub_1"}}});
        CHECK(changes_of(sync(world)).size() == 1);
        CHECK(status() == "paused");
    }
    SECTION("because it lost its user")
    {
        provider.has({card_subscription("sub_1", {{"metadata", json::object()}, {"status", "paused"}})});
        CHECK(changes_of(sync(world)).size() == 1);
        CHECK(status() == "paused");
    }
    SECTION("because it has another user")
    {
        provider.has({card_subscription("sub_1", of_user("bob"))});
        CHECK(changes_of(sync(world)).size() == 2);
        CHECK(status() == "expired");
        CHECK(status("bob") == "active");
    }
}

TEST_CASE_METHOD(Fixture, "a sync fetches the items that a subscription does not contain", "[sync]")
{
    json::array items;
    for (int n = 0; n < 30; ++n)
        items.push_back({{"id", "si_" + std::to_string(n)}, {"price", "price_" + std::to_string(n)}});
    provider.has({card_subscription("sub_1", {{"items", std::move(items)}})});
    CHECK(changes_of(sync(world)).size() == 30);
    CHECK(world.entitlements().size() == 30);
}

TEST_CASE_METHOD(Fixture, "a fetched subscription is filed under all users that it names", "[sync]")
{
    json::object const item{{"price", json::object{{"id", "price_pro"}, {"currency", "nzd"}}},
        {"metadata", json::object{{"userId", "bob"}}}};
    provider.has({card_subscription("sub_1", {{"items", json::array{item}}})});
    auto const payload = [&] {
        return world.postgres.query("SELECT payload FROM events WHERE provider = 'internal'");
    };
    SECTION("whose accounts exist")
    {
        CHECK(changes_of(sync(world)).size() == 1);
        CHECK(world.postgres.query("SELECT user_id FROM event_users") == "bob");
        CHECK(payload().find("\"bob\"") != std::string::npos);
        require(200, erasing::delete_account(world, "bob"));
    }
    SECTION("whose accounts were deleted")
    {
        require(200, erasing::delete_account(world, "bob"));
        CHECK(changes_of(sync(world)).size() == 1);
    }
    CHECK(world.postgres.query("SELECT count(*) FROM event_users") == "0");
    CHECK(payload().find("\"bob\"") == std::string::npos);
    CHECK(payload().find("\"ada\"") != std::string::npos);
    CHECK(status() == "active");
}

TEST_CASE_METHOD(Fixture, "a sync changes nothing if the payments provider fails", "[sync]")
{
    REQUIRE(happens(created) == "applied");
    auto const before = world.entitlements();
    provider.has({card_subscription("sub_1", {{"status", "canceled"}})});
    SECTION("a refused key")
    {
        provider.fails({refusal(401)});
        CHECK(error_of(sync(world)) == "UPSTREAM_ERROR");
    }
    SECTION("a status 5xx")
    {
        provider.fails({refusal(503)});
        CHECK(error_of(sync(world)) == "UPSTREAM_ERROR");
    }
    SECTION("a limit, whose Retry-After is passed on and obeyed by the reconciler")
    {
        provider.fails({refusal(429, {{"retry-after", "600"}})});
        auto const r = sync(world);
        CHECK(r.status == 502);
        CHECK(r.header("retry-after") == "600");
        CHECK(world.postgres.query("SELECT user_id = '' AND not_before IS NULL AND payments_not_before = "
                                   "'2026-01-01T00:10:00Z' FROM syncs") == "t");
    }
    SECTION("a malformed subscription")
    {
        auto const item = json::object{{"price", "price_pro"}, {"current_period_end", "soon"}};
        provider.has({card_subscription("sub_1", {{"items", json::array{item}}})});
        CHECK(error_of(sync(world)) == "UPSTREAM_ERROR");
    }
    CHECK(world.entitlements() == before);
    CHECK(archived_syncs(world, "demo-sandbox") == "0");
}

TEST_CASE("a sync asks the providers that it is told to, or all whose keys are set", "[sync]")
{
    PurchasesProvider const purchases;
    PaymentsProvider const payments;
    World const world(options_for(purchases, payments));
    set_api_key(world);
    set_payments_key(world, "sk_live_provider");
    purchases.has("ada", one("pro"));
    payments.has({card_subscription("sub_1")});

    REQUIRE(sync_with(world, "payments").status == 200);
    CHECK(purchases.seen("ada") == 0);
    CHECK(lines_of(world) == "price_pro active\n");
    payments.forget();
    REQUIRE(sync_with(world, "purchases").status == 200);
    CHECK(payments.seen().empty());
    CHECK(lines_of(world) == "price_pro active\npro active\n");

    world.clock.advance(1h);
    purchases.has("ada", {});
    payments.has({});
    auto const r = sync(world);
    CHECK(changes_of(r).size() == 2);
    CHECK(lines(r.json().at("entitlements")) == "price_pro expired\npro expired\n");
}

TEST_CASE("a sync with both providers changes nothing if one of them fails", "[sync]")
{
    PurchasesProvider const purchases;
    PaymentsProvider const payments;
    World const world(options_for(purchases, payments));
    set_api_key(world);
    set_payments_key(world, "sk_live_provider");
    purchases.has("ada", one("pro"));
    payments.has({card_subscription("sub_1")});
    SECTION("the payments provider")
    {
        payments.fails({refusal(401)});
    }
    SECTION("the purchase provider")
    {
        purchases.answers("ada", {{"status", 500}, {"text", "oops"}});
    }
    CHECK(error_of(sync(world)) == "UPSTREAM_ERROR");
    CHECK(world.entitlements("ada", "demo").empty());
    CHECK(archived_syncs(world) == "0");
    CHECK(world.postgres.query("SELECT count(*) FROM syncs") == "0");
}
