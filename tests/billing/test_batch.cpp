#include "events.hpp"
#include "ingest/ingest_batch.hpp"
#include "storage/entitlements.hpp"
#include "support/run_awaitable.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// The guarantees of batches: no decision is based on rows that have changed, and the work per event and user
// on an I/O thread is limited.

using namespace billing;
using events::day, events::s;
namespace json = boost::json;

namespace {

/// An event about a subscription of user `ada` to price `a`.
json::object about(
    std::string const& subscription, std::string_view status, std::int64_t at, std::int64_t ends)
{
    return events::payment("customer.subscription.updated",
        events::subscription({events::item("a", {{"current_period_end", s(ends)}})},
            {{"id", subscription}, {"status", status}}),
        {{"created", s(at)}});
}

ingest::IncomingEvent incoming(
    core::ScopeId scope_id, json::object const& event, Provider provider = Provider::payments)
{
    auto parsed = parse_event(provider, event);
    REQUIRE(parsed.faults.empty());
    return {.scope_id = scope_id,
        .archive_id = core::Uuid::v7(),
        .event = std::move(parsed.event),
        .body = body(event),
        .now = testing::FakeClock::start};
}

/// The service's database, with the calls of a batch.
class Batch {
public:
    explicit Batch(World const& world) : db_({.url = world.postgres.service_url(), .threads = 1})
    {
        REQUIRE(eventually([this] { return db_.healthy(); }));
    }

    /// Reads the rows that an event depends on and plans the write. Returns one item.
    std::vector<ingest::BatchItem> plan(ingest::IncomingEvent const& event)
    {
        std::vector<ingest::BatchItem> items{{.incoming = &event}};
        auto const work = [&]() -> boost::asio::awaitable<void> {
            auto const connection = co_await db_.batch_connection();
            co_await ingest::read_snapshots(*connection, event.scope_id, items);
        };
        testing::run_awaitable(work());
        items.front().write = ingest::plan_write(event, items.front().snapshot);
        return items;
    }

    /// Writes the planned rows. Returns false if rows that the event depends on have changed.
    bool write(std::vector<ingest::BatchItem>& items)
    {
        auto const selected = ingest::independent(items);
        auto const work = [&]() -> boost::asio::awaitable<std::vector<bool>> {
            auto const connection = co_await db_.batch_connection();
            co_return co_await ingest::write(*connection, selected);
        };
        return testing::run_awaitable(work()) == std::vector{true};
    }

    /// The results of a batch for these inputs.
    template <class In, class Work> auto read(Work work, std::vector<In> const& inputs)
    {
        using Result = std::invoke_result_t<Work, pg::BatchConnection&, std::span<In const>>;
        auto const run = [&]() -> Result {
            auto const connection = co_await db_.batch_connection();
            co_return co_await work(*connection, inputs);
        };
        return testing::run_awaitable(run());
    }

private:
    pg::Database db_;
};

/// Gives a user `count` entitlements of this status to the product `pack`.
void give(World const& world, std::string const& user, std::size_t count, std::string const& status)
{
    world.postgres.query(
        R"(
        INSERT INTO entitlements (
            scope_id, entitlement_id, user_id, source, provider_product_id, alternative_product_id,
            transaction_id, status, will_renew, last_event_type, last_event_at, last_rank,
            last_period_end, last_event_id, last_transaction_id, created_at, updated_at, revision
        )
        SELECT
        )" +
        world.scope_id() + ", gen_random_uuid(), '" + user + "', 'manual', 'pack', '', n::text, '" + status +
        "', false, 'GRANT', now(), 0, 'infinity', '', '', now(), now(), 1 FROM generate_series(1, " +
        std::to_string(count) + ") AS n");
}

} // namespace

TEST_CASE("a batch is not written if a subscription was added after its read", "[billing][batch]")
{
    World const world;
    Batch batch(world);
    REQUIRE(result_of(world.post_payment(about("sub_1", "active", 100, 90 * day))) == "applied");
    auto const over = about("sub_1", "unpaid", 200, 90 * day);
    auto const event = incoming(core::ScopeId{std::stoll(world.scope_id())}, over);
    auto items = batch.plan(event);
    REQUIRE(items.front().write);
    // The added subscription ends earlier, and its event is older, so the entitlement and its revision stay
    // unchanged.
    auto const before = world.entitlement("a");
    REQUIRE(result_of(world.post_payment(about("sub_2", "active", 50, 30 * day))) == "applied");
    REQUIRE(world.entitlement("a") == before);

    CHECK_FALSE(batch.write(items));
    CHECK(result_of(world.post_payment(over)) == "applied");
    CHECK(text(world.entitlement("a"), "status") == "active");
    CHECK(text(world.entitlement("a"), "expiresAt") == events::rfc3339(30 * day));
}

TEST_CASE(
    "a batch is not written if another event has named its anonymous user after its read", "[billing][batch]")
{
    World const world;
    Batch batch(world);
    constexpr auto anonymous = "$RCAnonymousID:1";
    auto const bought = events::purchase("INITIAL_PURCHASE", {{"app_user_id", anonymous}});
    auto const event = incoming(core::ScopeId{std::stoll(world.scope_id())}, bought, Provider::purchases);
    auto items = batch.plan(event);
    REQUIRE(items.front().write);
    auto const renewed = events::purchase(
        "RENEWAL", {{"event_timestamp_ms", events::ms(10)}, {"aliases", json::array{anonymous}}});
    REQUIRE(result_of(world.post_purchase(renewed)) == "applied");

    CHECK_FALSE(batch.write(items));
    world.post_purchase(bought);
    CHECK(world.entitlement("pro.monthly", anonymous).at("isActive") == false);
    CHECK(world.entitlement("pro.monthly").at("isActive") == true);
}

TEST_CASE("a batch is not written if another event has named its payment after its read", "[billing][batch]")
{
    World const world;
    Batch batch(world);
    REQUIRE(result_of(world.post_payment(about("sub_1", "active", 0, 30 * day))) == "applied");
    auto const lines = events::list({events::invoice_line("a", 0, 30 * day)});
    auto const paid =
        events::payment("invoice.paid", events::invoice("a", {{"lines", lines}}), {{"created", s(5)}});
    auto const event = incoming(core::ScopeId{std::stoll(world.scope_id())}, paid);
    auto items = batch.plan(event);
    REQUIRE(items.front().write);
    auto const refunded = events::payment(
        "charge.refunded", events::refunded_charge({{"invoice", "in_1"}}), {{"created", s(10)}});
    REQUIRE(result_of(world.post_payment(refunded)) == "skipped unknown_charge");

    CHECK_FALSE(batch.write(items));
    CHECK(result_of(world.post_payment(paid)) == "applied");
    CHECK(world.entitlement("a").at("isActive") == false);
    CHECK(text(world.entitlement("a"), "accessUntil") == events::rfc3339(10));
}

TEST_CASE("an event that depends on more than its rows gets its own transaction", "[billing][batch]")
{
    World const world;
    Batch batch(world);
    core::ScopeId const scope_id{std::stoll(world.scope_id())};
    auto const is_planned = [&](json::object const& event, bool is_deferred = false) {
        auto one = incoming(scope_id, event);
        one.is_deferred = is_deferred;
        return batch.plan(one).front().write.has_value();
    };
    CHECK(is_planned(about("sub_1", "active", 0, 30 * day)));
    CHECK_FALSE(is_planned(about("sub_1", "active", 0, 30 * day), true));
    json::object const more{{"object", "list"}, {"data", json::array{events::item("a")}}, {"has_more", true}};
    CHECK_FALSE(is_planned(
        events::payment("customer.subscription.updated", events::subscription({}, {{"items", more}}))));
    CHECK_FALSE(is_planned(events::payment("checkout.session.completed", events::checkout_session())));
    CHECK_FALSE(is_planned(events::payment("charge.refunded", events::refunded_charge())));
    CHECK_FALSE(is_planned(events::payment("invoice_payment.paid", events::invoice_payment())));
    CHECK_FALSE(is_planned(events::payment("charge.dispute.created", events::dispute("needs_response"))));

    auto const paid = events::payment("invoice.paid", events::invoice("a"));
    CHECK(is_planned(paid));
    REQUIRE(result_of(world.post_payment(events::payment(
                "invoice_payment.paid", events::invoice_payment()))) == "skipped connects_payments");
    CHECK_FALSE(is_planned(paid));
}

TEST_CASE("a batch is written if its rows are unchanged", "[billing][batch]")
{
    World const world;
    Batch batch(world);
    REQUIRE(result_of(world.post_payment(about("sub_1", "active", 100, 90 * day))) == "applied");
    auto const event =
        incoming(core::ScopeId{std::stoll(world.scope_id())}, about("sub_1", "unpaid", 200, 90 * day));
    auto items = batch.plan(event);
    REQUIRE(items.front().write);
    CHECK(batch.write(items));
    CHECK(text(world.entitlement("a"), "status") == "expired");
}

TEST_CASE("an event of a user with very many subscriptions gets its own transaction", "[billing][batch]")
{
    World const world;
    Batch batch(world);
    auto const scope_id = std::stoll(world.scope_id());
    auto const event = incoming(core::ScopeId{scope_id}, about("sub_next", "active", 100, 90 * day));
    auto const post = [&](std::size_t number) {
        auto const sent = about("sub_" + std::to_string(number), "active", 1, 30 * day);
        REQUIRE(result_of(world.post_payment(sent)) == "applied");
    };
    for (std::size_t n = 0; n < ingest::max_subscriptions; ++n)
        post(n);
    CHECK(batch.plan(event).front().write);
    post(ingest::max_subscriptions);
    CHECK_FALSE(batch.plan(event).front().write);
    post(ingest::max_subscriptions + 1);
    auto const items = batch.plan(event);
    CHECK_FALSE(items.front().write);
    auto const& subscriptions = items.front().snapshot.subscriptions;
    CHECK(subscriptions.size() == ingest::max_subscriptions + 1);
    CHECK(ingest::state_query_of(event, subscriptions).entitlement_ids.empty());

    CHECK(result_of(world.post_payment(about("sub_next", "active", 100, 90 * day))) == "applied");
    CHECK(text(world.entitlement("a"), "expiresAt") == events::rfc3339(90 * day));
}

TEST_CASE("users with very many entitlements are read one by one, other users in a batch", "[billing][batch]")
{
    using entitlements::max_in_batch;
    World const world;
    Batch batch(world);
    REQUIRE(
        world.as_backend("demo")
            .post("/v1/products",
                R"({"providerProductId":"pack","name":"A pack","kind":"consumable","features":["export"]})")
            .status == 201);

    struct User {
        std::string name, status;
        std::size_t count;
    };

    std::vector<User> const users{{"many", "active", max_in_batch + 1}, {"just", "active", max_in_batch},
        {"had", "expired", max_in_batch + 1}, {"none", "active", 0}};
    std::vector<entitlements::UserKey> keys;
    std::vector<entitlements::FeatureQuery> queries;
    core::ScopeId const scope_id{std::stoll(world.scope_id())};
    for (auto const& user : users) {
        give(world, user.name, user.count, user.status);
        keys.push_back({scope_id, core::UserId(user.name)});
        queries.push_back({scope_id, core::UserId(user.name), "export", world.clock.now()});
    }
    auto const lists = batch.read(entitlements::of_user_batch, keys);
    auto const features = batch.read(entitlements::features_batch, queries);
    for (std::size_t i = 0; i < users.size(); ++i) {
        auto const& [name, status, count] = users[i];
        INFO(name);
        bool const is_crowded = count > max_in_batch, has = status == "active" && count > 0;
        CHECK(lists.at(i).has_value() != is_crowded);
        CHECK(features.at(i).has_value() != is_crowded);
        CHECK(world.entitlements(name).size() == count);
        auto const r = world.as_backend().get("/v1/users/" + name + "/features/export");
        CHECK(r.body == (has ? R"({"granted":true,"until":null})" : R"({"granted":false,"until":null})"));
    }
}
