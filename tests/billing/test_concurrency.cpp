#include "events.hpp"
#include "support/held_scope.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <barrier>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using events::day, events::ms, events::s, events::rfc3339;
namespace json = boost::json;

/// Calls `work(i)` on `threads` threads, which start together.
void at_once(int threads, std::function<void(int)> const& work)
{
    std::barrier start(threads);
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i) {
        running.emplace_back([&, i] {
            start.arrive_and_wait();
            work(i);
        });
    }
    for (auto& thread : running)
        thread.join();
}

/// The number of responses of each kind.
class Tally {
public:
    void add(testing::HttpResponse const& response)
    {
        std::lock_guard const lock(mutex_);
        ++counts_[result_of(response)];
    }

    int operator[](std::string const& result) const
    {
        auto const it = counts_.find(result);
        return it == counts_.end() ? 0 : it->second;
    }

private:
    std::mutex mutex_;
    std::map<std::string, int> counts_;
};

void listen(World const& world)
{
    REQUIRE(world.as_backend().post("/v1/webhooks", R"({"url":"http://127.0.0.1:9/"})").status == 201);
}

std::string count(World const& world, std::string const& table)
{
    return world.postgres.query("SELECT count(*) FROM " + table + " WHERE scope_id = " + world.scope_id());
}

} // namespace

TEST_CASE("fifty concurrent deliveries of one event apply it once", "[billing][concurrency]")
{
    constexpr int deliveries = 50;
    for (bool const told : {false, true}) {
        CAPTURE(told);
        World const world;
        if (told) listen(world);
        for (int round = 0; round < 3; ++round) {
            auto const id = std::to_string(round);
            auto const purchase =
                body(events::purchase("INITIAL_PURCHASE", {{"id", "p" + id}, {"app_user_id", "p" + id}}));
            auto const payment = body(events::payment("customer.subscription.created",
                events::subscription({events::item("a")},
                    {{"id", "sub" + id}, {"metadata", json::object{{"userId", "s" + id}}}}),
                {{"id", "e" + id}}));
            Tally purchases, payments;
            at_once(deliveries, [&](int) {
                purchases.add(world.post_purchase(purchase));
                payments.add(world.post_payment(payment));
            });
            for (auto const* tally : {&purchases, &payments}) {
                CHECK((*tally)["applied"] == 1);
                CHECK((*tally)["duplicate"] == deliveries - 1);
            }
            CHECK(world.entitlements("p" + id).size() == 1);
            CHECK(world.entitlements("s" + id).size() == 1);
        }
        CHECK(count(world, "events") == "6");
        CHECK(count(world, "event_claims") == "6");
        CHECK(count(world, "webhook_deliveries") == (told ? "6" : "0"));
        CHECK(world.postgres.query("SELECT max(revision) FROM entitlements") == "1");
    }
}

TEST_CASE("concurrent events of one user give the same state as events in order", "[billing][concurrency]")
{
    constexpr int renewals = 40;
    for (bool const told : {false, true}) {
        CAPTURE(told);
        World const world;
        if (told) listen(world);
        Tally tally;
        at_once(renewals, [&](int i) {
            tally.add(world.post_purchase(
                events::purchase("RENEWAL", {{"event_timestamp_ms", ms(i)}, {"expiration_at_ms", ms(i * day)},
                                                {"transaction_id", std::to_string(i)}})));
        });
        CHECK(tally["applied"] >= 1);
        CHECK(tally["applied"] + tally["stale"] == renewals);
        auto const e = world.entitlement("pro.monthly");
        CHECK(text(e, "lastEventAt") == rfc3339(renewals - 1));
        CHECK(text(e, "expiresAt") == rfc3339((renewals - 1) * day));
        CHECK(world.postgres.query("SELECT revision FROM entitlements") == std::to_string(tally["applied"]));
    }
}

TEST_CASE(
    "concurrent subscriptions of one user with one product give a correct state", "[billing][concurrency]")
{
    constexpr int subscriptions = 24;
    World const world;
    auto const of = [](int i, std::string_view status, std::int64_t at) {
        return events::payment("customer.subscription.updated",
            events::subscription(
                {events::item("a")}, {{"id", "sub" + std::to_string(i)}, {"status", status}}),
            {{"created", s(at)}});
    };
    Tally made, ended;
    at_once(subscriptions, [&](int i) { made.add(world.post_payment(of(i, "active", i))); });
    CHECK(made["applied"] == subscriptions);
    CHECK(text(world.entitlement("a"), "lastEventAt") == rfc3339(subscriptions - 1));
    // All subscriptions but one end, so the product stays active.
    at_once(subscriptions - 1, [&](int i) { ended.add(world.post_payment(of(i, "unpaid", 100 + i))); });
    CHECK(ended["applied"] == subscriptions - 1);
    CHECK(text(world.entitlement("a"), "status") == "active");
    CHECK(result_of(world.post_payment(of(subscriptions - 1, "unpaid", 200))) == "applied");
    CHECK(text(world.entitlement("a"), "status") == "expired");
}

TEST_CASE(
    "an invoice that arrives at the same time as its subscription is not lost", "[billing][concurrency]")
{
    World const world;
    for (int round = 0; round < 20; ++round) {
        auto const name = std::to_string(round);
        auto const subscription = events::subscription({events::item("a")},
            {{"id", "sub" + name}, {"metadata", json::object{{"userId", name}}}, {"status", "incomplete"}});
        auto const object = events::old_invoice("a", {{"subscription", "sub" + name}});
        Tally tally;
        at_once(2, [&](int i) {
            tally.add(
                world.post_payment(i == 0 ? events::payment("customer.subscription.created", subscription)
                                          : events::payment("invoice.paid", object, {{"created", s(1)}})));
        });
        CHECK(tally["applied"] + tally["skipped awaiting_subscription"] == 2);
        CHECK(text(world.entitlement("a", name), "status") == "active");
        CHECK(text(world.entitlement("a", name), "expiresAt") == rfc3339(60 * day));
    }
}

TEST_CASE("a purchase that arrives at the same time as its refund is refunded", "[billing][concurrency]")
{
    World const world;
    for (int round = 0; round < 20; ++round) {
        auto const user = std::to_string(round);
        json::object coins{{"app_user_id", user}, {"product_id", "coins"}, {"expiration_at_ms", nullptr},
            {"transaction_id", "T" + user}};
        auto const bought = events::purchase("NON_RENEWING_PURCHASE", coins);
        coins["event_timestamp_ms"] = ms(10);
        auto const refund = events::purchase("CANCELLATION", coins);
        Tally tally;
        at_once(2, [&](int i) { tally.add(world.post_purchase(i == 0 ? bought : refund)); });
        CHECK(tally["applied"] + tally["stale"] == 2);
        CHECK(world.entitlements(user).size() == 1);
        CHECK(text(world.entitlement("coins", user), "status") == "expired");
    }
}

TEST_CASE("a payment that arrives at the same time as its refund is refunded", "[billing][concurrency]")
{
    World const world;
    require(201, world.as_backend("demo").post(
                     "/v1/products", R"({"providerProductId":"coins","name":"Coins","kind":"consumable"})"));
    for (int round = 0; round < 10; ++round) {
        auto const id = std::to_string(round);
        auto const invoice = "in_" + id, intent = "pi_" + id, session_intent = "pi_cs_" + id;
        auto const refund = [&](std::string const& payment_intent) {
            return events::payment("charge.refunded",
                events::refunded_charge({{"id", "ch_" + payment_intent}, {"payment_intent", payment_intent}}),
                {{"created", s(10)}});
        };
        std::vector const sent{events::payment("customer.subscription.created",
                                   events::subscription({events::item("a")},
                                       {{"id", "sub_" + id}, {"metadata", json::object{{"userId", id}}}})),
            events::payment("invoice.paid",
                events::invoice("a", {{"id", invoice}, {"parent", nullptr}, {"subscription", "sub_" + id},
                                         {"lines", events::list({events::invoice_line("a", 0, 30 * day)})}}),
                {{"created", s(1)}}),
            events::payment("invoice_payment.paid",
                events::invoice_payment({{"id", "inpay_" + id}, {"invoice", invoice},
                    {"payment", json::object{{"type", "payment_intent"}, {"payment_intent", intent}}}})),
            refund(intent),
            events::payment("checkout.session.completed",
                events::checkout_session({{"id", "cs_" + id}, {"payment_intent", session_intent},
                    {"metadata", json::object{{"userId", id}, {"productId", "coins"}}}})),
            refund(session_intent)};
        std::atomic<int> accepted = 0;
        at_once(static_cast<int>(sent.size()), [&](int i) {
            if (world.post_payment(sent[static_cast<std::size_t>(i)]).status == 200) ++accepted;
        });
        CHECK(accepted == static_cast<int>(sent.size()));
        for (auto const* product : {"a", "coins"}) {
            CAPTURE(round, product);
            CHECK(text(world.entitlement(product, id), "accessUntil") == rfc3339(10));
            CHECK(world.entitlement(product, id).at("isActive") == false);
        }
    }
    auto backend = world.as_backend();
    CHECK(all_items(backend, "/v1/events?type=charge.refunded&result=applied").size() == 20);
}

TEST_CASE("an anonymous purchase that arrives at the same time as the person's event belongs to the person",
    "[billing][concurrency]")
{
    World const world;
    for (int round = 0; round < 20; ++round) {
        auto const person = std::to_string(round), anonymous = "$RCAnonymousID:" + person;
        auto const bought = events::purchase("INITIAL_PURCHASE", {{"app_user_id", anonymous}});
        auto const renewed = events::purchase("RENEWAL",
            {{"app_user_id", person}, {"aliases", json::array{anonymous}}, {"event_timestamp_ms", ms(10)}});
        Tally tally;
        at_once(2, [&](int i) { tally.add(world.post_purchase(i == 0 ? bought : renewed)); });
        CHECK(tally["applied"] + tally["stale"] == 2);
        CHECK(world.entitlement("pro.monthly", person).at("isActive") == true);
        CHECK(world.entitlement("pro.monthly", anonymous).at("isActive") == false);
    }
}

TEST_CASE("concurrent events of many users do not affect each other", "[billing][concurrency]")
{
    constexpr int threads = 16, each = 20;
    World const world;
    Tally tally;
    at_once(threads, [&](int thread) {
        auto client = world.client();
        for (int i = 0; i < each; ++i) {
            auto const user = std::to_string(thread) + '-' + std::to_string(i);
            tally.add(client.post("/webhooks/purchases",
                body(events::purchase("INITIAL_PURCHASE", {{"app_user_id", user}, {"product_id", user}})),
                {{"Authorization", purchases_secret}}));
        }
    });
    CHECK(tally["applied"] == threads * each);
    for (int thread = 0; thread < threads; ++thread) {
        auto const user = std::to_string(thread) + "-7";
        CHECK(text(world.entitlement(user, user), "status") == "active");
        CHECK(world.entitlements(user).size() == 1);
    }
    auto backend = world.as_backend();
    CHECK(all_items(backend, "/v1/events").size() == threads * each);
}

TEST_CASE("events get 503 without the database, and are accepted when they are sent again",
    "[billing][concurrency]")
{
    World world;
    auto const purchase = body(events::purchase("INITIAL_PURCHASE"));
    auto const payment =
        body(events::payment("customer.subscription.created", events::subscription({events::item("a")})));
    CHECK(result_of(world.post_purchase(events::purchase("RENEWAL", {{"app_user_id", "bob"}}))) == "applied");
    world.postgres.stop();
    auto const r = world.post_purchase(purchase);
    CHECK(r.status == 503);
    CHECK(r.header("retry-after") != "");
    CHECK(world.post_payment(payment).status == 503);
    CHECK(world.post_purchase("{").status == 503);
    world.postgres.start();
    CHECK(eventually([&] { return result_of(world.post_purchase(purchase)) == "applied"; }));
    CHECK(eventually([&] { return result_of(world.post_payment(payment)) == "applied"; }));
    CHECK(world.entitlements().size() == 2);
}

TEST_CASE("a held lock of one scope does not delay another scope", "[billing][concurrency]")
{
    World const world;
    auto const buy = [&](std::string const& tenant) {
        return [&, tenant](int n) {
            auto const id = std::to_string(n);
            auto const purchase = events::purchase("INITIAL_PURCHASE",
                {{"id", "p" + id}, {"app_user_id", "p" + id}, {"environment", "PRODUCTION"}});
            return world.post_purchase(purchase, tenant).status;
        };
    };
    testing::check_held_scope(world.postgres, world.scope_id("demo"), 200, buy("demo"), buy("other"));
}
