// The real program is killed while it applies events, and while it announces lapses.
#include "core/clock.hpp"
#include "events.hpp"
#include "program.hpp"
#include "receiver.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace {

namespace json = boost::json;

constexpr std::int64_t far = 10'000 * events::day; // periods that end after the test, by the real clock

/// An event, and the provider that sends it.
struct Posted {
    bool is_payment = false;
    std::string body{};
};

/// The events about one user's purchases and payments, in the order in which they happened.
class History {
public:
    explicit History(int number)
        : user_("user-" + std::to_string(number)), number_('-' + std::to_string(number))
    {
        purchase("INITIAL_PURCHASE", 1);
        subscription("customer.subscription.created", 2);
        payment("invoice.paid", invoice(), 3);
        purchase("RENEWAL", 4);
        purchase("CANCELLATION", 5, {{"cancel_reason", "UNSUBSCRIBE"}});
        purchase("UNCANCELLATION", 6);
        payment("invoice_payment.paid",
            events::invoice_payment({{"id", "inpay" + number_}, {"invoice", "in" + number_},
                {"payment", json::object{{"type", "payment_intent"}, {"payment_intent", "pi" + number_}}}}),
            7);
        purchase("NON_RENEWING_PURCHASE", 8, {{"product_id", "coins"}, {"transaction_id", "t1"}});
        purchase("NON_RENEWING_PURCHASE", 9, {{"product_id", "coins"}, {"transaction_id", "t2"}});
        subscription("customer.subscription.updated", 10, {{"cancel_at_period_end", true}});
        purchase("PRODUCT_CHANGE", 11, {{"product_id", "team"}});
        purchase("BILLING_ISSUE", 12);
        if (number % 2 == 0) payment("charge.refunded", refund(), 13);
        purchase("CANCELLATION", 14,
            {{"product_id", "coins"}, {"transaction_id", "t1"}, {"cancel_reason", "CUSTOMER_SUPPORT"}});
        if (number % 3 == 0) subscription("customer.subscription.deleted", 15, {{"status", "canceled"}});
        if (number % 5 == 0) purchase("EXPIRATION", 16);
    }

    std::vector<Posted> const& events() const { return events_; }

private:
    void purchase(std::string_view type, std::int64_t seconds, json::object changes = {})
    {
        changes["app_user_id"] = user_;
        changes["aliases"] = json::array{"$RCAnonymousID:" + number_};
        changes["event_timestamp_ms"] = events::ms(seconds);
        changes["expiration_at_ms"] = events::ms(far + seconds);
        events_.push_back({false, body(events::purchase(type, changes))});
    }

    void payment(std::string_view type, json::object object, std::int64_t seconds)
    {
        auto const event = events::payment(type, std::move(object), {{"created", events::s(seconds)}});
        events_.push_back({true, body(event)});
    }

    void subscription(std::string_view type, std::int64_t seconds, json::object changes = {})
    {
        changes["id"] = "sub" + number_;
        changes["metadata"] = json::object{{"userId", user_}};
        auto const item = events::item("card.pro", {{"current_period_end", events::s(far)}});
        payment(type, events::subscription({item}, changes), seconds);
    }

    /// The invoice of the current period.
    json::object invoice() const
    {
        auto object =
            events::old_invoice("card.pro", {{"id", "in" + number_}, {"subscription", "sub" + number_}});
        object.at("lines").at("data").at(0).as_object()["period"] =
            json::object{{"start", events::s(0)}, {"end", events::s(far)}};
        return object;
    }

    json::object refund() const
    {
        return events::refunded_charge({{"id", "ch" + number_}, {"payment_intent", "pi" + number_}});
    }

    std::string user_, number_;
    std::vector<Posted> events_;
};

/// Simulates the providers: each sender posts the histories of some users, and repeats each event until it is
/// acknowledged.
class Providers {
public:
    static constexpr int senders = 6;

    Providers(std::vector<History> const& histories, std::string host)
        : histories_(histories), host_(std::move(host)), next_(senders)
    {
    }

    /// Sends until all histories were sent, or `stop` returns true. Returns after the requests in flight.
    void send(BillingProgram const& program, std::function<bool()> const& stop = [] { return false; })
    {
        std::vector<std::thread> threads;
        threads.reserve(senders);
        for (std::size_t sender = 0; sender < senders; ++sender)
            threads.emplace_back([&, sender] { run(program.client(), sender, stop); });
        for (auto& thread : threads)
            thread.join();
    }

    int acknowledged() const { return acknowledged_; }

    int unexpected() const { return unexpected_; }

private:
    /// Where a sender is: the history and its event.
    struct Position {
        std::size_t history = 0, event = 0;
    };

    void run(testing::HttpClient client, std::size_t sender, std::function<bool()> const& stop)
    {
        auto& at = next_[sender];
        for (auto index = sender + at.history * senders; index < histories_.size();
            index = sender + at.history * senders) {
            auto const& events = histories_[index].events();
            if (stop()) return;
            if (!post(client, events[at.event])) continue;
            if (++at.event == events.size()) at = {at.history + 1, 0};
        }
    }

    /// Whether the event was acknowledged.
    bool post(testing::HttpClient& client, Posted const& event)
    {
        try {
            testing::HttpClient::Headers headers{{"Host", host_}};
            if (event.is_payment)
                headers.emplace_back(
                    "Stripe-Signature", signature(event.body, signing_secret, core::SystemClock().now()));
            auto const path = event.is_payment ? "/webhooks/payments" : "/webhooks/purchases";
            auto const r = client.post(path, event.body, headers);
            if (r.status == 503) return false;
            (r.status == 200 ? acknowledged_ : unexpected_)++;
            return true;
        } catch (std::runtime_error const&) { // no response: the result is unknown
            std::this_thread::sleep_for(5ms);
            return false;
        }
    }

    std::vector<History> const& histories_;
    std::string host_;
    std::vector<Position> next_;
    std::atomic<int> acknowledged_ = 0, unexpected_ = 0;
};

/// The rows of a scope that follow from its events, without ids and times that differ between two scopes.
std::map<std::string, std::string> rows_of(World const& world, std::string const& scope_id)
{
    std::map<std::string, std::string> const selects{
        {"entitlements", "to_jsonb(r) - ARRAY['scope_id', 'entitlement_id', 'created_at', 'updated_at']"},
        {"payment_subscriptions", "jsonb_build_array(r.subscription_id, r.user_id, r.revision, "
                                  "r.state->'status', r.state->'items', "
                                  "r.state->'removed')"},
        {"payment_references", "jsonb_build_array(r.reference, r.node->'ids', r.node->'subscriptionId', "
                               "r.node->'coversUntil', r.node->'reversal')"},
        {"events", "jsonb_build_array(r.provider, r.event_id, r.type, r.result, r.reason, r.user_id, "
                   "r.subject, r.event_at, r.payload)"},
        {"event_claims", "to_jsonb(1)"},
        {"event_users", "jsonb_build_array(r.user_id)"},
        {"stats_days", "to_jsonb(r) - 'scope_id'"},
        {"stats_months", "to_jsonb(r) - 'scope_id'"},
        {"stats_mrr", "to_jsonb(r) - 'scope_id'"},
    };
    std::map<std::string, std::string> rows;
    for (auto const& [table, row] : selects)
        rows[table] =
            world.postgres.query("SELECT count(*) || ' ' || md5(string_agg(x::text, ' ' ORDER BY x::text)) "
                                 "FROM (SELECT " +
                                 row + " FROM " + table + " r WHERE scope_id = " + scope_id + ") AS f(x)");
    return rows;
}

/// A World whose own service is stopped, so that only the program does its work. The jobs have the real time,
/// as the program.
struct Fixture {
    Fixture()
    {
        for (std::string const tenant : {"demo-sandbox", "other-sandbox"})
            scopes.emplace(tenant, world.scope_id(tenant));
    }

    void stop() const
    {
        world.host->stop();
        testing::free_database(world.postgres);
    }

    std::string count(std::string const& from) const
    {
        return world.postgres.query("SELECT count(*) FROM " + from);
    }

    int number(std::string const& from) const { return std::stoi(count(from)); }

    World const world;
    std::map<std::string, std::string> scopes; ///< `scope_id`, by tenant
};

/// A webhook's endpoint, which accepts all events.
struct Endpoint {
    std::size_t events() const
    {
        std::lock_guard const lock(mutex);
        return bodies.size();
    }

    mutable std::mutex mutex;
    std::map<std::string, std::set<std::string>> bodies; ///< the received bodies, by `webhook-id`
    testing::Receiver receiver{[this](testing::Received const& r) {
        std::lock_guard const lock(mutex);
        bodies[r.headers.at("webhook-id")].insert(r.body);
        return testing::reply(204);
    }};
};

/// Entitlements whose access has ended, and has not been announced as ended: a copy for each of `total`
/// users.
void make_lapsed(World const& world, int total)
{
    REQUIRE(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "applied");
    world.postgres.query(R"(
        INSERT INTO entitlements
        SELECT copy.*
        FROM entitlements e, generate_series(1, )" +
                         std::to_string(total) +
                         R"() AS g, LATERAL jsonb_populate_record(e, jsonb_build_object(
            'entitlement_id', gen_random_uuid(), 'user_id', 'user-' || g,
            'access_until', now() - interval '1 day', 'renewal_until', now() - interval '1 day'
        )) AS copy)");
    world.postgres.query("DELETE FROM entitlements WHERE user_id = 'ada'");
}

/// Checks that both scopes have the same rows, and rows in each table.
void check_same_rows(World const& world, std::map<std::string, std::string> const& scopes)
{
    auto const expected = rows_of(world, scopes.at("other-sandbox"));
    for (auto const& [table, rows] : rows_of(world, scopes.at("demo-sandbox"))) {
        INFO(table);
        CHECK(rows == expected.at(table));
        CHECK_FALSE(rows.starts_with("0 "));
    }
}

std::string host_of(World const& world, std::string const& tenant)
{
    return tenant + '.' + world.variables().at("BASE_HOST");
}

/// Ends the leases of a program that was killed, so that the next one need not wait.
void end_leases(World const& world)
{
    world.postgres.query("UPDATE jobs SET lease_owner = NULL, run_at = now() WHERE lease_owner IS NOT NULL; "
                         "UPDATE periodic_tasks SET lease_owner = NULL, next_at = now()");
}

void set_status(testing::Program const& program, std::string const& status)
{
    auto master = program.client("Bearer " + std::string(testing::master_key));
    require(200, master.put("/v1/admin/tenants/demo", body({{"displayName", "Demo"}, {"status", status}})));
}

std::vector<History> histories_of(int users)
{
    std::vector<History> histories;
    for (int n = 0; n < users; ++n)
        histories.emplace_back(n);
    return histories;
}

} // namespace

TEST_CASE_METHOD(Fixture, "kill -9 during ingest leaves the same rows as an uninterrupted run", "[faults]")
{
    stop();
    auto const histories = histories_of(100);
    Providers killed(histories, host_of(world, "demo-sandbox"));
    for (int round = 1; round <= 4; ++round) {
        BillingProgram program(world);
        std::atomic<bool> is_dead = false;
        std::jthread const killer([&] {
            eventually([&] { return killed.acknowledged() >= 200 * round; }, 1min);
            program.kill();
            is_dead = true;
        });
        killed.send(program, [&] { return is_dead.load(); });
    }
    REQUIRE(killed.acknowledged() >= 800);
    BillingProgram const last(world);
    killed.send(last);
    Providers uninterrupted(histories, host_of(world, "other-sandbox"));
    uninterrupted.send(last);

    CHECK(killed.unexpected() == 0);
    CHECK(uninterrupted.unexpected() == 0);
    CHECK(killed.acknowledged() == uninterrupted.acknowledged());
    auto const total = std::to_string(killed.acknowledged());
    auto const of_scope = " WHERE scope_id = " + scopes.at("demo-sandbox");
    CHECK(count("events" + of_scope) == total);
    CHECK(count("(SELECT DISTINCT event_id FROM events" + of_scope + ") AS e") == total);
    check_same_rows(world, scopes);
}

TEST_CASE_METHOD(
    Fixture, "kill -9 after a tenant resumes leaves the same rows as without a suspension", "[faults]")
{
    stop();
    auto const histories = histories_of(40);
    Providers suspended(histories, host_of(world, "demo-sandbox"));
    Providers active(histories, host_of(world, "other-sandbox"));
    {
        BillingProgram program(world);
        set_status(program, "suspended");
        REQUIRE(eventually([&] {
            auto const test = body(events::purchase("TEST"));
            return result_of(program.client().post("/webhooks/purchases", test)) == "deferred";
        }));
        world.postgres.query("DELETE FROM events; DELETE FROM event_claims; DELETE FROM event_users; "
                             "DELETE FROM deferred_events");
        suspended.send(program);
        active.send(program);
        CHECK(number("deferred_events") == suspended.acknowledged());
        set_status(program, "active");
        REQUIRE(
            eventually([&] { return number("deferred_events") < suspended.acknowledged() * 3 / 4; }, 1min));
        program.kill();
        end_leases(world);
    }
    REQUIRE(number("deferred_events") > 0);
    BillingProgram const last(world);
    REQUIRE(eventually([&] { return number("deferred_events") == 0; }, 1min));
    CHECK(suspended.unexpected() == 0);
    check_same_rows(world, scopes);
}

TEST_CASE_METHOD(Fixture,
    "kill -9 during the announcement of lapses loses none, and repeats none under a new id", "[faults]")
{
    constexpr int total = 1000;
    Endpoint const endpoint;
    make_lapsed(world, total);
    require(
        201, world.as_backend().post("/v1/webhooks",
                 body({{"url", endpoint.receiver.url()}, {"events", json::array{"entitlement.changed"}}})));
    stop();
    auto variables = world.variables();
    variables["OUTBOUND_ALLOW_PRIVATE"] = "true";
    auto const run_until = [&](std::function<bool()> const& reached) {
        testing::Program program(BILLING_PROGRAM, variables);
        REQUIRE(eventually(reached, 2min));
        program.kill();
        end_leases(world);
    };
    run_until([&] { return number("webhook_deliveries") >= 200; });
    CHECK(number("entitlements WHERE is_open") == total - number("webhook_deliveries"));
    run_until([&] { return endpoint.events() >= 400; });
    run_until([&] { return endpoint.events() >= 700; });
    run_until([&] { return number("webhook_deliveries WHERE status = 'delivered'") == total; });

    CHECK(count("entitlements WHERE is_open") == "0");
    CHECK(number("webhook_deliveries") == total);
    CHECK(world.postgres.query(R"(
        SELECT count(DISTINCT d.payload::json #>> '{data,entitlement,userId}')
        FROM webhook_deliveries d
        WHERE d.payload::json #>> '{data,reason}' = 'lapsed')") == std::to_string(total));
    CHECK(world.postgres.query("SELECT sum(active) || ' ' || sum(churned) FROM stats_days") ==
          "0 " + std::to_string(total));
    // The endpoint has received each delivery, some of them twice, with the same bytes.
    std::map<std::string, std::set<std::string>> stored;
    auto const rows = json::parse(
        world.postgres.query("SELECT json_object_agg(delivery_id, payload) FROM webhook_deliveries"));
    for (auto const& row : rows.as_object())
        stored[row.key()] = {std::string(row.value().as_string())};
    std::lock_guard const lock(endpoint.mutex);
    CHECK((endpoint.bodies == stored));
}
