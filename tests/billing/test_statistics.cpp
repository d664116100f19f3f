#include "erasing.hpp"
#include "events.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <map>
#include <random>
#include <string>

namespace {

namespace json = boost::json;
using events::day, events::ms, events::s;

core::Time at(std::int64_t seconds)
{
    return testing::FakeClock::start + std::chrono::seconds(seconds);
}

/// The date `days` after the start time.
std::string date(std::int64_t days)
{
    return events::rfc3339(days * day).substr(0, 10);
}

void happens(World const& world, std::string_view type, json::object const& changes = {},
    std::string const& tenant = "demo-sandbox")
{
    INFO(type);
    REQUIRE(result_of(world.post_purchase(events::purchase(type, changes), tenant)) == "applied");
}

json::object stats(
    World const& world, std::int64_t from, std::int64_t to, std::string const& tenant = "demo-sandbox")
{
    auto const path = "/v1/stats?from=" + date(from) + "&to=" + date(to);
    return require(200, world.as_backend(tenant).get(path)).json().as_object();
}

/// The rows of the days: `product date active trials new churned`, one per line.
std::string rows(
    World const& world, std::int64_t from, std::int64_t to, std::string const& tenant = "demo-sandbox")
{
    std::string lines;
    auto const report = stats(world, from, to, tenant);
    for (auto const& row : report.at("days").as_array()) {
        for (auto const* member : {"product", "date", "active", "trials", "new"})
            lines += text(row, member) + ' ';
        lines += text(row, "churned") + '\n';
    }
    return lines;
}

std::string mrr(World const& world, std::string const& tenant = "demo-sandbox")
{
    return json::serialize(stats(world, 0, 0, tenant).at("mrr"));
}

/// Compares the statistics with the entitlements that give access. Returns the differences.
std::string differences(World const& world)
{
    return world.postgres.query(R"(
        SELECT string_agg(d::text, '; ')
        FROM (
            SELECT 'numbers', r::text, s::text
            FROM (
                SELECT scope_id, provider_product_id, count(*) AS active,
                    count(*) FILTER (WHERE period_type = 'trial') AS trials
                FROM entitlements
                WHERE is_open
                GROUP BY 1, 2
            ) AS r
            FULL JOIN (
                SELECT scope_id, provider_product_id, sum(active) AS active, sum(trials) AS trials
                FROM stats_days
                GROUP BY 1, 2
                HAVING sum(active) <> 0 OR sum(trials) <> 0
            ) AS s
                ON r.scope_id = s.scope_id AND r.provider_product_id = s.provider_product_id
            WHERE (r.active, r.trials) IS DISTINCT FROM (s.active, s.trials)
            UNION ALL
            SELECT 'months', m::text, s::text
            FROM stats_months m
            FULL JOIN (
                SELECT scope_id, date_trunc('month', date)::date AS month, provider_product_id,
                    sum(active) AS active, sum(trials) AS trials
                FROM stats_days
                GROUP BY 1, 2, 3
            ) AS s
                ON m.scope_id = s.scope_id AND m.month = s.month
                    AND m.provider_product_id = s.provider_product_id
            WHERE (m.active, m.trials) IS DISTINCT FROM (s.active, s.trials)
            UNION ALL
            SELECT 'mrr', r::text, s::text
            FROM (
                SELECT scope_id, price_currency, sum(monthly_amount) AS amount
                FROM entitlements
                WHERE is_open AND period_type IS DISTINCT FROM 'trial' AND price_currency IS NOT NULL
                GROUP BY 1, 2
                HAVING sum(monthly_amount) <> 0
            ) AS r
            FULL JOIN (SELECT * FROM stats_mrr WHERE amount <> 0) AS s
                ON r.scope_id = s.scope_id AND r.price_currency = s.currency
            WHERE r.amount IS DISTINCT FROM s.amount
        ) AS d)");
}

void set_leeway(World const& world, int seconds)
{
    require(200, world.as_backend("demo").patch("/v1/settings", body({{"renewalLeewaySeconds", seconds}})));
}

/// A random event of one of a few users and products at the world's time.
void post_random(World const& world, std::mt19937& random)
{
    auto const pick = [&](int count) { return std::uniform_int_distribution(0, count - 1)(random); };
    static constexpr std::array<std::string_view, 7> types{"INITIAL_PURCHASE", "RENEWAL", "CANCELLATION",
        "UNCANCELLATION", "EXPIRATION", "BILLING_ISSUE", "SUBSCRIPTION_PAUSED"};
    static constexpr std::array<std::string_view, 6> statuses{
        "trialing", "active", "past_due", "unpaid", "paused", "canceled"};
    auto const now =
        std::chrono::duration_cast<std::chrono::seconds>(world.clock.now() - testing::FakeClock::start)
            .count();
    auto const user = "user-" + std::to_string(pick(6));
    auto const then = now - pick(3) * day;
    auto const end = now + (pick(20) - 5) * day;
    if (pick(3) != 0) {
        world.post_purchase(events::purchase(types[static_cast<std::size_t>(pick(types.size()))],
            {{"app_user_id", user}, {"product_id", "product-" + std::to_string(pick(3))},
                {"event_timestamp_ms", ms(then)}, {"expiration_at_ms", ms(end)},
                {"period_type", pick(4) == 0 ? "TRIAL" : "NORMAL"},
                {"currency", pick(2) == 0 ? "NZD" : "EUR"}}));
        return;
    }
    auto const object = events::subscription(
        {events::item("price-" + std::to_string(pick(2)), {{"current_period_end", s(end)}})},
        {{"id", "sub-" + user}, {"metadata", json::object{{"userId", user}}},
            {"status", statuses[static_cast<std::size_t>(pick(statuses.size()))]}});
    world.post_payment(events::payment("customer.subscription.updated", object, {{"created", s(then)}}));
}

} // namespace

TEST_CASE("statistics count the entitlements with access on each day", "[statistics]")
{
    World const world;
    CHECK(rows(world, 0, 0).empty());
    CHECK(mrr(world) == "[]");
    happens(world, "INITIAL_PURCHASE");
    happens(world, "INITIAL_PURCHASE", {{"app_user_id", "bob"}});
    happens(world, "INITIAL_PURCHASE", {{"app_user_id", "bob"}, {"product_id", "extra"}});
    world.clock.set(at(3 * day));
    happens(world, "EXPIRATION", {{"app_user_id", "bob"}, {"event_timestamp_ms", ms(2 * day)}});
    happens(world, "EXPIRATION",
        {{"app_user_id", "bob"}, {"product_id", "extra"}, {"event_timestamp_ms", ms(day)}});
    CHECK(rows(world, 0, 3) == "extra 2026-01-01 1 0 1 0\n"
                               "pro.monthly 2026-01-01 2 0 2 0\n"
                               "extra 2026-01-02 0 0 0 1\n"
                               "pro.monthly 2026-01-02 2 0 0 0\n"
                               "pro.monthly 2026-01-03 1 0 0 1\n"
                               "pro.monthly 2026-01-04 1 0 0 0\n");
    // A range may begin after the first day, and end after today.
    CHECK(rows(world, 2, 300) == "pro.monthly 2026-01-03 1 0 0 1\n"
                                 "pro.monthly 2026-01-04 1 0 0 0\n");
    CHECK(rows(world, -30, -1).empty());
    CHECK(rows(world, 4, 30).empty());
    CHECK(mrr(world) == R"([{"currency":"NZD","amount":999}])");
    CHECK(differences(world).empty());
}

TEST_CASE("renewals and repeated events do not change the statistics", "[statistics]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE");
    auto const before = rows(world, 0, 0);
    auto const renewal =
        events::purchase("RENEWAL", {{"event_timestamp_ms", ms(60)}, {"expiration_at_ms", ms(60 * day)},
                                        {"purchased_at_ms", ms(30 * day)}});
    REQUIRE(result_of(world.post_purchase(renewal)) == "applied");
    REQUIRE(result_of(world.post_purchase(renewal)) == "duplicate");
    CHECK(rows(world, 0, 0) == before);
    CHECK(mrr(world) == R"([{"currency":"NZD","amount":999}])");
}

TEST_CASE("a trial is counted apart until it becomes a paid subscription", "[statistics]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE", {{"period_type", "TRIAL"}, {"expiration_at_ms", ms(2 * day)}});
    CHECK(mrr(world) == "[]");
    world.clock.set(at(2 * day));
    happens(world, "RENEWAL",
        {{"event_timestamp_ms", ms(2 * day)}, {"purchased_at_ms", ms(2 * day)},
            {"expiration_at_ms", ms(32 * day)}});
    CHECK(rows(world, 0, 2) == "pro.monthly 2026-01-01 1 1 1 0\n"
                               "pro.monthly 2026-01-02 1 1 0 0\n"
                               "pro.monthly 2026-01-03 1 0 0 0\n");
    CHECK(mrr(world) == R"([{"currency":"NZD","amount":999}])");
    CHECK(differences(world).empty());
}

TEST_CASE("access that ends by time counts as churn on the day of its end", "[statistics]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", ms(2 * day)}});
    world.clock.set(at(5 * day));
    CHECK(eventually([&] { return rows(world, 2, 5) == "pro.monthly 2026-01-03 0 0 0 1\n"; }));
    CHECK(mrr(world) == "[]");
    // A late renewal does not count for the days before the lapse.
    happens(world, "RENEWAL", {{"event_timestamp_ms", ms(day)}, {"expiration_at_ms", ms(30 * day)}});
    CHECK(rows(world, 1, 5) == "pro.monthly 2026-01-02 1 0 0 0\n"
                               "pro.monthly 2026-01-03 1 0 1 1\n"
                               "pro.monthly 2026-01-04 1 0 0 0\n"
                               "pro.monthly 2026-01-05 1 0 0 0\n"
                               "pro.monthly 2026-01-06 1 0 0 0\n");
    CHECK(differences(world).empty());
}

TEST_CASE(
    "access that ends after the leeway counts as churn on the day on which the leeway ends", "[statistics]")
{
    World const world;
    set_leeway(world, 0);
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", ms(2 * day - 3600)}});
    world.clock.set(at(2 * day - 1800));
    REQUIRE(eventually([&] { return rows(world, 1, 1) == "pro.monthly 2026-01-02 0 0 0 1\n"; }));
    // A longer leeway gives access again, until the next day.
    world.clock.set(at(2 * day + 60));
    set_leeway(world, 86'400);
    REQUIRE(eventually([&] { return rows(world, 2, 2) == "pro.monthly 2026-01-03 1 0 1 0\n"; }));
    world.clock.set(at(3 * day + 60));
    CHECK(eventually([&] {
        return rows(world, 1, 3) == "pro.monthly 2026-01-02 0 0 0 1\n"
                                    "pro.monthly 2026-01-03 0 0 1 1\n";
    }));
    CHECK(differences(world).empty());
}

TEST_CASE("an erased user is no longer counted, but is no churn", "[statistics]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE");
    happens(world, "INITIAL_PURCHASE", {{"app_user_id", "bob"}});
    world.clock.set(at(day));
    require(200, erasing::erase(world, "ada"));
    CHECK(rows(world, 0, 1) == "pro.monthly 2026-01-01 2 0 2 0\n"
                               "pro.monthly 2026-01-02 1 0 0 0\n");
    CHECK(mrr(world) == R"([{"currency":"NZD","amount":999}])");
    CHECK(differences(world).empty());
}

TEST_CASE("statistics name the product of the catalog", "[statistics]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE");
    REQUIRE(result_of(world.post_payment(events::payment("customer.subscription.created",
                events::subscription({events::item("price_pro")})))) == "applied");
    std::map<std::string, std::string> listed;
    for (std::string const id : {"pro.monthly", "prod_price_pro"}) {
        auto const made = require(
            201, world.as_backend("demo").post("/v1/products",
                     body({{"providerProductId", id}, {"name", "A product"}, {"kind", "subscription"}})));
        listed[id] = text(made.json(), "productId");
    }
    auto const days = stats(world, 0, 0).at("days").as_array();
    REQUIRE(days.size() == 2);
    CHECK(text(days[0], "product") == "price_pro");
    CHECK(text(days[0], "productId") == listed["prod_price_pro"]);
    CHECK(text(days[1], "product") == "pro.monthly");
    CHECK(text(days[1], "productId") == listed["pro.monthly"]);
    happens(world, "INITIAL_PURCHASE", {{"product_id", "unlisted"}});
    CHECK(stats(world, 0, 0).at("days").at(2).at("productId").is_null());
}

TEST_CASE("each environment has its own statistics", "[statistics]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE");
    happens(world, "INITIAL_PURCHASE", {{"environment", "PRODUCTION"}, {"product_id", "real"}});
    CHECK(rows(world, 0, 0) == "pro.monthly 2026-01-01 1 0 1 0\n");
    CHECK(rows(world, 0, 0, "demo") == "real 2026-01-01 1 0 1 0\n");
    CHECK(rows(world, 0, 0, "other-sandbox").empty());
}

TEST_CASE("errors in the range of the statistics name the parameter", "[statistics]")
{
    World const world;
    auto backend = world.as_backend();
    CHECK(faults_of(backend.get("/v1/stats")) == "?from required\n?to required");
    CHECK(faults_of(backend.get("/v1/stats?from=2026-01-01")) == "?to required");
    for (std::string const bad :
        {"today", "2026-1-1", "2026-02-30", "2026-01-01T00:00:00Z", "2026-01-0a", "1767225600", "2026-13-01"})
        CHECK(faults_of(backend.get("/v1/stats?from=" + bad + "&to=2026-01-01")) == "?from format");
    CHECK(faults_of(backend.get("/v1/stats?from=2026-01-02&to=2026-01-01")) == "?to range");
    CHECK(backend.get("/v1/stats?from=2025-01-01&to=2026-01-01").status == 200); // 366 days
    CHECK(faults_of(backend.get("/v1/stats?from=2025-01-01&to=2026-01-02")) == "?to range");
    CHECK(world.as_user("ada").get("/v1/stats?from=2026-01-01&to=2026-01-01").status == 403);
    for (auto const* role : {"admin", "owner"})
        CHECK(world.as_user("ada", role).get("/v1/stats?from=2026-01-01&to=2026-01-01").status == 200);
    CHECK(world.as_master().get("/v1/stats?from=2026-01-01&to=2026-01-01").status == 200);
}

TEST_CASE("after any series of events, the statistics are the sums of the entitlements", "[statistics]")
{
    World world;
    auto const seed = GENERATE(1U, 2U, 3U);
    CAPTURE(seed);
    std::mt19937 random(seed);
    if (seed == 2) erasing::listen(world); // events of such a scope are not ingested in batches
    for (int i = 0; i < 150; ++i) {
        post_random(world, random);
        if (i % 10 == 9) world.clock.advance(36h);
        if (i % 50 == 25) require(200, erasing::erase(world, "user-1"));
    }
    // Lapses of another thread may come between the two parts of the comparison.
    CHECK(eventually([&] { return differences(world).empty(); }));
    CHECK(world.postgres.query(
              "SELECT count(*) FROM stats_days, test_clock WHERE date > (now AT TIME ZONE 'UTC')::date") ==
          "0");
    CHECK(eventually([&] {
        std::int64_t active = 0;
        auto const report = stats(world, 22, 22);
        for (auto const& row : report.at("days").as_array())
            active += row.at("active").as_int64();
        return std::to_string(active) ==
               world.postgres.query("SELECT count(*) FROM entitlements WHERE is_open");
    }));
}

TEST_CASE(
    "the monthly revenue counts all units, per month, without trials and unpaid periods", "[statistics]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE",
        {{"product_id", "yearly"}, {"purchased_at_ms", ms(0)}, {"expiration_at_ms", ms(365 * day)},
            {"price_in_purchased_currency", 120}, {"currency", "EUR"}});
    happens(world, "NON_RENEWING_PURCHASE",
        {{"product_id", "coins"}, {"transaction_id", "t-1"}, {"expiration_at_ms", nullptr},
            {"currency", "EUR"}});
    CHECK(mrr(world) == R"([{"currency":"EUR","amount":1000}])");

    auto const subscribed = [&](std::string const& user, std::string_view interval, std::string_view status,
                                std::int64_t at) {
        auto price = events::price("card", "prod_card");
        price["unit_amount"] = 2400;
        price["currency"] = "jpy";
        price["recurring"] = json::object{{"interval", interval}, {"interval_count", 1}};
        auto const item = events::item("card", {{"price", price}, {"quantity", 3}});
        auto const object = events::subscription({item},
            {{"id", "sub-" + user}, {"metadata", json::object{{"userId", user}}}, {"status", status}});
        REQUIRE(result_of(world.post_payment(events::payment(
                    "customer.subscription.updated", object, {{"created", s(at)}}))) == "applied");
    };
    auto const yen = [&](std::int64_t amount) {
        return R"([{"currency":"EUR","amount":1000},{"currency":"JPY","amount":)" + std::to_string(amount) +
               "}]";
    };
    subscribed("monthly", "month", "active", 0);
    CHECK(mrr(world) == yen(7200));
    subscribed("yearly", "year", "active", 0);
    CHECK(mrr(world) == yen(7800));
    subscribed("tries", "month", "trialing", 0);
    subscribed("late", "month", "past_due", 0);
    CHECK(mrr(world) == yen(7800));
    subscribed("tries", "month", "active", 1);
    CHECK(mrr(world) == yen(15'000));
    subscribed("monthly", "month", "unpaid", 2);
    CHECK(mrr(world) == yen(7800));
    CHECK(differences(world).empty());
}
