#include "domain/history.hpp"
#include "reading.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

using namespace reading;
using events::day, events::ms, events::rfc3339;

TEST_CASE("an as-of read follows the times that the events state", "[entitlements][as-of]")
{
    World world;
    // The events arrive late and out of order, but only the times that they state count.
    happens(world, "RENEWAL", {{"event_timestamp_ms", ms(30 * day)}, {"expiration_at_ms", ms(60 * day)}});
    auto const late = events::purchase("CANCELLATION", {{"event_timestamp_ms", ms(10 * day)}});
    REQUIRE(result_of(world.post_purchase(late)) == "stale");
    REQUIRE(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "stale");
    happens(world, "EXPIRATION", {{"event_timestamp_ms", ms(60 * day)}, {"expiration_at_ms", ms(60 * day)}});

    CHECK(all_as_of(world, -1).empty());
    CHECK(text(as_of(world, 0), "lastEventType") == "INITIAL_PURCHASE");
    CHECK(as_of(world, 9 * day).at("willRenew") == true);
    CHECK(as_of(world, 10 * day).at("willRenew") == false);
    CHECK(as_of(world, 10 * day).at("isActive") == true);
    CHECK(text(as_of(world, 30 * day), "expiresAt") == rfc3339(60 * day));
    CHECK(text(as_of(world, 60 * day - 1), "status") == "active");
    CHECK(as_of(world, 60 * day - 1).at("isActive") == true);
    world.clock.set(testing::FakeClock::start + 60 * 24h);
    CHECK(as_of(world, 60 * day) == world.entitlement("pro.monthly"));
    CHECK(as_of(world, 60 * day).at("isActive") == false);
    CHECK(text(as_of(world, 90 * day), "status") == "expired");

    for (auto const* bad : {"yesterday", "2026-01-01", "", "1767225600"})
        CHECK(faults_of(world.as_backend().get(std::string("/v1/users/ada/entitlements?at=") + bad)) ==
              "?at format");
}

TEST_CASE("as-of reads include card payments and manual grants", "[entitlements][as-of]")
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
    CHECK(all_as_of(world, 2 * day - 1).size() == 1);
    CHECK(all_as_of(world, 2 * day).size() == 2);
    auto const status_of_gift = [&](std::int64_t at) {
        for (auto const& e : all_as_of(world, at))
            if (text(e, "source") == "manual") return text(e, "status");
        return std::string();
    };
    CHECK(status_of_gift(2 * day) == "active");
    CHECK(status_of_gift(3 * day - 1) == "active");
    CHECK(status_of_gift(3 * day) == "expired");
}

TEST_CASE("as-of reads include one-time payments of products in the catalog", "[entitlements][as-of]")
{
    World const world;
    auto const product = new_product(world, "for.life", {}, {{"kind", "lifetime"}});
    json::object const session{{"id", "cs_1"}, {"object", "checkout.session"}, {"mode", "payment"},
        {"payment_status", "paid"}, {"payment_intent", "pi_1"}, {"amount_total", 4900}, {"currency", "nzd"},
        {"metadata", json::object{{"userId", "ada"}, {"productId", product}}}};
    REQUIRE(result_of(world.post_payment(events::payment(
                "checkout.session.completed", session, {{"created", events::s(day)}}))) == "applied");
    REQUIRE(result_of(world.post_payment(events::payment("charge.refunded",
                {{"id", "ch_1"}, {"object", "charge"}, {"payment_intent", "pi_1"}, {"amount", 4900},
                    {"amount_refunded", 4900}, {"refunded", true}},
                {{"created", events::s(3 * day)}}))) == "applied");
    CHECK(all_as_of(world, 0).empty());
    auto const bought = as_of(world, 2 * day);
    CHECK(text(bought, "productId") == product);
    CHECK(text(bought, "transactionId") == "pi_1");
    CHECK(bought.at("isActive") == true);
    CHECK(bought.at("accessUntil").is_null());
    CHECK(as_of(world, 3 * day).at("isActive") == false);
}

TEST_CASE("an as-of read uses the settings of its time", "[entitlements][as-of]")
{
    World world;
    auto const renewed = events::item("price_pro", {{"current_period_end", events::s(60 * day)}});
    REQUIRE(result_of(world.post_payment(events::payment("customer.subscription.updated",
                events::subscription({renewed}, {{"status", "past_due"}})))) == "applied");
    auto const status = [&](std::int64_t at) { return text(as_of(world, at), "status"); };
    CHECK(status(day) == "expired");
    world.clock.set(testing::FakeClock::start + 10 * 24h);
    set(world, {{"pastDueIsActive", true}});
    CHECK(status(9 * day) == "expired");
    CHECK(as_of(world, 9 * day).at("isActive") == false);
    CHECK(status(10 * day) == "active");
    CHECK(as_of(world, 10 * day).at("isActive") == true);
    world.clock.set(testing::FakeClock::start + 20 * 24h);
    set(world, {{"pastDueIsActive", false}});
    CHECK(status(9 * day) == "expired");
    CHECK(status(19 * day) == "active");
    CHECK(status(20 * day) == "expired");
    // The archive drops the oldest events first.
    set(world, {{"pastDueIsActive", true}});
    auto const drop = [&](int count) {
        world.postgres.query(
            "DELETE FROM events WHERE archive_id IN (SELECT archive_id FROM events WHERE type = "
            "'SETTINGS' AND scope_id = " +
            world.scope_id() + " ORDER BY archive_id LIMIT " + std::to_string(count) + ")");
    };
    drop(1);
    CHECK(status(19 * day) == "active");
    CHECK(as_of(world, 9 * day).at("isActive") == true);
    drop(2);
    CHECK(status(19 * day) == "active");
}

TEST_CASE("an as-of read uses each entitlement decided by that time as stored, and the events for all others",
    "[entitlements][as-of]")
{
    using billing::Entitlement, billing::Source, billing::Status;
    constexpr core::ScopeId scope_id{2};
    core::UserId const user("ada");
    auto const at = [](int hours) { return testing::FakeClock::start + std::chrono::hours(hours); };
    auto const bought = [&](char const* product, int hours) {
        billing::PurchaseEvent event{.user_id = user, .product = product};
        event.fact.type = billing::PurchaseEventType::initial_purchase;
        event.fact.order.at = at(hours);
        event.received_at = at(hours);
        return billing::Event{.at = at(hours), .data = event};
    };
    auto const stored = [&](char const* product, int decided) {
        Entitlement e;
        e.id = billing::entitlement_id(scope_id, Source::purchases, user, product);
        e.user_id = user;
        e.provider_product_id = product;
        e.status = Status::expired;
        e.created_at = at(1);
        e.last.at = at(decided);
        return e;
    };
    billing::Known const known{.entitlements = {stored("a", 5), stored("b", 6)}};
    std::vector const events{bought("a", 2), bought("c", 3)};
    auto const found = [&](int hours, std::span<billing::Event const> history) {
        std::vector<std::string> lines;
        for (auto const& e : billing::entitlements_as_of(scope_id, user, at(hours), history, known))
            lines.push_back(e.provider_product_id + ' ' + std::string(to_string(e.status)));
        std::ranges::sort(lines);
        return lines;
    };
    using Lines = std::vector<std::string>;
    CHECK(found(0, {}).empty());
    CHECK(found(2, std::span(events).first(1)) == Lines{"a active"});
    CHECK(found(3, events) == Lines{"a active", "c active"});
    CHECK(found(5, events) == Lines{"a expired", "c active"});
    CHECK(found(6, events) == Lines{"a expired", "b expired", "c active"});
}

TEST_CASE("as-of reads show an earlier grant that a later one has replaced", "[entitlements][as-of]")
{
    World world;
    auto const product = new_product(world, "gift", {});
    auto const give = [&](std::int64_t days, char const* reason) {
        json::object const fields{
            {"productId", product}, {"expiresAt", rfc3339(days * day)}, {"reason", reason}};
        auto const given = require(201, world.as_backend().post("/v1/users/ada/grants", body(fields)));
        world.clock.advance(48h);
        return "/v1/users/ada/grants/" + text(given.json(), "entitlementId");
    };
    auto const path = give(10, "First");
    CHECK(give(20, "Second") == path);
    require(200, world.as_backend().del(path));
    world.clock.advance(48h);
    CHECK(give(30, "Third") == path);

    struct Row {
        std::int64_t at;
        std::string status, expires_at, reason;
        bool is_active;
    };

    for (auto const& row : std::vector<Row>{{0, "active", rfc3339(10 * day), "First", true},
             {2 * day - 1, "active", rfc3339(10 * day), "First", true},
             {2 * day, "active", rfc3339(20 * day), "Second", true},
             {4 * day - 1, "active", rfc3339(20 * day), "Second", true},
             {4 * day, "expired", rfc3339(20 * day), "Second", false},
             {6 * day - 1, "expired", rfc3339(20 * day), "Second", false},
             {6 * day, "active", rfc3339(30 * day), "Third", true},
             {30 * day, "active", rfc3339(30 * day), "Third", false}}) {
        CAPTURE(row.at);
        auto const e = as_of(world, row.at);
        CHECK(text(e, "status") == row.status);
        CHECK(text(e, "expiresAt") == row.expires_at);
        CHECK(text(e, "reason") == row.reason);
        CHECK(e.at("isActive") == row.is_active);
    }
}
