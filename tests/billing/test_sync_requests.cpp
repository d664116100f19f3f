#include "erasing.hpp"
#include "ingest/sync_requests.hpp"
#include "sync_requesting.hpp"

// Events without the data of the purchases that they change. Their users are synced.

namespace {

using namespace sync_requesting;

/// A subscription event of the payments provider without a user.
json::object without_user(std::string_view type, json::object changes = {})
{
    changes["metadata"] = json::object();
    return events::payment(
        type, events::subscription({events::item("price_pro")}, changes), {{"created", events::s(1)}});
}

json::object with_more_items()
{
    json::object const items{
        {"object", "list"}, {"data", json::array{events::item("price_pro")}}, {"has_more", true}};
    return events::payment("customer.subscription.created", events::subscription({}, {{"items", items}}));
}

/// `user` or `user ended_at`, in seconds after the start, for each request.
std::string requested_by(billing::Event const& event, std::optional<core::UserId> const& stored = {})
{
    std::string all;
    for (auto const& request : billing::ingest::sync_requests_of(event, stored)) {
        all += (all.empty() ? "" : ", ") + request.user_id.text();
        if (request.ended_at)
            all += ' ' +
                   std::to_string((*request.ended_at - testing::FakeClock::start) / std::chrono::seconds(1));
    }
    CHECK((all.empty() || billing::ingest::may_request_syncs(event)));
    return all;
}

billing::Event read_purchase(json::object const& event)
{
    auto parsed = billing::parse_event(billing::Provider::purchases, event);
    REQUIRE(parsed.faults.empty());
    return parsed.event;
}

billing::Event read_payment(json::object const& event)
{
    auto parsed = billing::parse_event(billing::Provider::payments, event);
    REQUIRE(parsed.faults.empty());
    return parsed.event;
}

} // namespace

TEST_CASE("events without purchase data name the users to sync", "[sync]")
{
    CHECK(requested_by(read_purchase(transfer({"ada", "$RCAnonymousID:1"}, {"bob", "$RCAnonymousID:2"}))) ==
          "ada -60, bob, $RCAnonymousID:1 -60");
    CHECK(
        requested_by(read_purchase(transfer({"ada"}, {"$RCAnonymousID:2"}))) == "ada -60, $RCAnonymousID:2");
    CHECK(requested_by(read_purchase(unhandled("ada", "bob"))) == "ada, bob");
    // The provider answers an anonymous id with the purchases of the person.
    CHECK(requested_by(read_purchase(events::purchase("SUBSCRIBER_ALIAS"))) == "ada");
    CHECK(requested_by(read_purchase(unhandled("ada", "$RCAnonymousID:1"))) == "ada");
    CHECK(requested_by(read_purchase(unhandled("$RCAnonymousID:1", "anon:2"))) == "$RCAnonymousID:1, anon:2");
    auto const pseudonym = "deleted:" + core::Uuid::v7().to_string();
    CHECK(requested_by(read_purchase(unhandled("ada", pseudonym))) == "ada");
    for (auto const& [type, status] : events::status_after)
        CHECK(requested_by(read_purchase(events::purchase(type, {{"new_product_id", "team"}}))).empty());
    CHECK(requested_by(read_purchase(events::purchase("PRODUCT_CHANGE"))).empty());

    core::UserId const ada("ada");
    for (auto const* type :
        {"customer.subscription.created", "customer.subscription.updated", "customer.subscription.deleted"}) {
        CHECK(requested_by(read_payment(without_user(type)), ada) == "ada");
        CHECK(requested_by(read_payment(without_user(type))).empty());
    }
    CHECK(requested_by(read_payment(with_more_items())) == "ada");
    auto const complete =
        events::payment("customer.subscription.created", events::subscription({events::item("price_pro")}));
    CHECK(requested_by(read_payment(complete), ada).empty());
    CHECK(requested_by(read_payment(events::payment("invoice.paid", events::invoice("price_pro"))), ada)
            .empty());
    CHECK(requested_by(read_payment(events::payment("customer.created", {{"id", "cus_1"}})), ada).empty());
}

TEST_CASE("a transfer ends the access of the old owner, and begins that of the new one", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.has("ada", one("pro"));
    REQUIRE(sync(world).status == 200);
    provider.has("ada", {});
    provider.has("bob", one("pro"));
    REQUIRE(
        result_of(world.post_purchase(transfer({"ada"}, {"bob"}), "demo")) == "skipped handled_by_sdk_login");
    CHECK(eventually([&] { return waiting(world) == "0"; }));
    CHECK(lines_of(world, "bob") == "pro active\n");
    CHECK(lines_of(world, "ada") == "pro expired\n");
    CHECK(text(world.entitlement("pro", "ada", "demo"), "accessUntil") == events::rfc3339(-60));
    CHECK(provider.seen("ada") == 2);
    CHECK(provider.seen("bob") == 1);
    auto const audit = world.as_backend("demo").get("/v1/audit?actor=system:reconciler").json();
    CHECK(audit.at("items").as_array().size() == 2);
}

TEST_CASE("a transfer syncs the owners first, and only anonymous ids that have entitlements", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    auto const id = "$RCAnonymousID:07";
    REQUIRE(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE",
                                              {{"environment", "PRODUCTION"}, {"app_user_id", id},
                                                  {"original_app_user_id", id}, {"aliases", json::array()}}),
                "demo")) == "applied");
    provider.has("*", one("pro"));
    provider.has("ada", {});
    provider.has(id, {});
    json::array from{"ada"};
    for (int n = 10; n < 70; ++n)
        from.push_back(json::value("$RCAnonymousID:" + std::to_string(n)));
    from.push_back(json::value(id));
    REQUIRE(world.post_purchase(transfer(std::move(from), {"bob"}), "demo").status == 200);
    CHECK(eventually([&] { return waiting(world) == "0"; }));
    CHECK(lines_of(world, "bob") == "pro active\n");
    CHECK(lines_of(world, id) == "pro.monthly expired\n");
    CHECK(provider.seen().size() == 3); // ada, bob and the anonymous id
}

TEST_CASE("all users of an event of an unknown type are synced, if the tenant has a key", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    provider.has("*", one("pro"));
    REQUIRE(result_of(world.post_purchase(unhandled("ada", "bob"), "demo")) == "skipped unhandled_type");
    CHECK(waiting(world) == "0");
    CHECK(world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'reconcile'") == "0");
    set_api_key(world);
    REQUIRE(result_of(world.post_purchase(unhandled("ada", "bob"), "demo")) == "skipped unhandled_type");
    CHECK(eventually([&] { return waiting(world) == "0"; }));
    for (auto const* user : {"ada", "bob"})
        CHECK(lines_of(world, user) == "pro active\n");
    CHECK(provider.seen().size() == 2);
}

TEST_CASE("a request for a sync waits while the provider fails", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.answers("*", {{"status", 500}, {"text", "oops"}});
    REQUIRE(world.post_purchase(transfer({}, {"bob"}), "demo").status == 200);
    CHECK(eventually([&] {
        return world.postgres.query("SELECT not_before = '2026-01-01T01:00:00Z' FROM sync_requests") == "t";
    }));
    CHECK(provider.seen("bob") == 1);
    provider.has("bob", one("pro"));
    world.clock.advance(61min);
    CHECK(eventually([&] { return waiting(world) == "0"; }));
    CHECK(lines_of(world, "bob") == "pro active\n");
    CHECK(provider.seen("bob") == 2);
}

TEST_CASE("a sync that a caller requests fulfils the request of an event", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.has("ada", one("pro"));
    REQUIRE(sync(world).status == 200);
    provider.answers("ada", {{"status", 404}, {"text", "{}"}});
    REQUIRE(world.post_purchase(transfer({"ada"}, {}), "demo").status == 200);
    auto const is_delayed = "SELECT not_before = '2026-01-02T00:00:00Z' FROM sync_requests";
    REQUIRE(eventually([&] { return world.postgres.query(is_delayed) == "t"; }));
    provider.has("ada", {});
    REQUIRE(sync(world).status == 200);
    CHECK(waiting(world) == "0");
    CHECK(text(world.entitlement("pro", "ada", "demo"), "accessUntil") == events::rfc3339(-60));
}

TEST_CASE("the deletion of a known subscription without a user is fetched", "[sync]")
{
    PaymentsProvider const provider;
    World const world(options_for(provider));
    auto const subscribed =
        events::payment("customer.subscription.created", events::subscription({events::item("price_pro")}));
    REQUIRE(result_of(world.post_payment(subscribed)) == "applied");
    json::object const ended{{"status", "canceled"}, {"ended_at", events::s(0)}};
    auto at_provider = ended;
    at_provider["metadata"] = json::object();
    provider.has({card_subscription("sub_1", at_provider)});
    // Without a key, nothing follows.
    REQUIRE(result_of(world.post_payment(without_user("customer.subscription.deleted", ended))) ==
            "skipped no_user");
    CHECK(waiting(world) == "0");
    set_payments_key(world);
    REQUIRE(result_of(world.post_payment(without_user("customer.subscription.deleted", ended))) ==
            "skipped no_user");
    CHECK(eventually([&] { return text(world.entitlement("price_pro"), "status") == "expired"; }));
    CHECK(eventually([&] { return waiting(world) == "0"; }));
    // The subscription of an unknown user cannot be fetched.
    REQUIRE(result_of(world.post_payment(without_user("customer.subscription.deleted", {{"id", "sub_2"}}))) ==
            "skipped no_user");
    CHECK(waiting(world) == "0");
}

TEST_CASE("the items that an event does not list are fetched", "[sync]")
{
    PaymentsProvider const provider;
    World const world(options_for(provider));
    set_payments_key(world);
    json::array items{json::object{{"price", json::object{{"id", "price_pro"}, {"currency", "nzd"}}}},
        json::object{{"price", "price_team"}}};
    provider.has({card_subscription("sub_1", {{"items", std::move(items)}})});
    REQUIRE(result_of(world.post_payment(with_more_items())) == "applied");
    CHECK(eventually([&] { return world.entitlements().size() == 2; }));
    CHECK(eventually([&] { return waiting(world) == "0"; }));
    CHECK(lines_of(world, "ada", "demo-sandbox") == "price_pro active\nprice_team active\n");
}

TEST_CASE("a failure of one provider does not stop the syncs with the other", "[sync]")
{
    PurchasesProvider const purchases;
    PaymentsProvider const payments;
    World const world(options_for(purchases, payments));
    set_api_key(world);
    set_payments_key(world);
    payments.fails({json::object{
        {"times", nullptr}, {"status", 429}, {"headers", json::object{{"retry-after", "600"}}}}});
    REQUIRE(result_of(world.post_payment(with_more_items())) == "applied");
    auto const is_paused =
        "SELECT payments_not_before = '2026-01-01T00:10:00Z' AND not_before IS NULL FROM syncs";
    REQUIRE(eventually([&] { return world.postgres.query(is_paused) == "t"; }));
    purchases.has("bob", one("pro"));
    REQUIRE(world.post_purchase(transfer({}, {"bob"}), "demo").status == 200);
    CHECK(eventually([&] { return waiting(world) == "1"; }));
    CHECK(lines_of(world, "bob") == "pro active\n");

    payments.fails({});
    payments.has({card_subscription("sub_1")});
    world.clock.advance(11min);
    CHECK(eventually([&] { return waiting(world) == "0"; }));
}

TEST_CASE("a new key ends the pause of its provider", "[sync]")
{
    PaymentsProvider const provider;
    World const world(options_for(provider));
    set_payments_key(world);
    provider.set({{"key", "sk_test_new"}});
    provider.has({card_subscription("sub_1")});
    REQUIRE(result_of(world.post_payment(with_more_items())) == "applied");
    auto const is_paused = "SELECT payments_not_before = '2026-01-01T01:00:00Z' FROM syncs";
    REQUIRE(eventually([&] { return world.postgres.query(is_paused) == "t"; }));
    set_payments_key(world, "sk_test_new");
    world.clock.advance(1min);
    CHECK(eventually([&] { return waiting(world) == "0"; }));
}

TEST_CASE("a user whose account was deleted is not synced", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.has("*", one("pro"));
    require(200, erasing::delete_account(world, "bob", "demo"));
    REQUIRE(world.post_purchase(unhandled("ada", "bob"), "demo").status == 200);
    CHECK(eventually([&] { return waiting(world) == "0"; }));
    CHECK(provider.seen("ada") == 1);
    CHECK(provider.seen("bob") == 0);

    // The account is deleted while the request waits.
    provider.answers("eve", {{"status", 404}, {"text", "{}"}});
    REQUIRE(world.post_purchase(transfer({}, {"eve"}), "demo").status == 200);
    REQUIRE(eventually(
        [&] { return world.postgres.query("SELECT not_before IS NOT NULL FROM sync_requests") == "t"; }));
    require(200, erasing::delete_account(world, "eve", "demo"));
    CHECK(waiting(world) == "0");
}

TEST_CASE("a sync fulfils the requests of the user in both environments", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.has("ada", one("pro"));
    for (std::string const tenant : {"demo", "demo-sandbox"})
        world.postgres.query(insertion(world, tenant, "ada", -10));
    world.postgres.query(insertion(world, "demo", "bob", -10));
    REQUIRE(sync(world).status == 200);
    CHECK(world.postgres.query("SELECT string_agg(user_id, ',') FROM sync_requests") == "bob");
}

TEST_CASE("an erasure in one environment keeps the requests of the other one", "[sync]")
{
    World const world;
    for (std::string const tenant : {"demo", "demo-sandbox"})
        world.postgres.query(insertion(world, tenant, "bob", 0));
    require(200, erasing::delete_account(world, "bob", "demo-sandbox"));
    CHECK(world.postgres.query("SELECT scope_id FROM sync_requests") == world.scope_id("demo"));
    require(200, erasing::delete_account(world, "bob", "demo"));
    CHECK(waiting(world) == "0");
}
