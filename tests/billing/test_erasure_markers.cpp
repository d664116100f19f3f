#include "erasing.hpp"
#include "support/user_markers.hpp"

#include <algorithm>
#include <set>

using namespace erasing;

// Writes a marker into everything that a user can fill, and searches all of it after the erasure.

namespace {

constexpr char const* marker = "mArKeR-7f3a"; // also the user's id

/// Columns in which nothing of a user is stored.
std::set<std::string> without_users()
{
    auto columns = testing::library_columns_without_users();
    columns.merge(std::set<std::string>{
        "backfills.last_error",
        "backfills.source",
        "backfills.status",
        "backfills.traceparent",
        "backfills.last_id",          // the position in the provider's list, until the backfill ends
        "entitlements.last_event_id", // the provider's id of the event, as in the archive
        "entitlements.last_event_type",
        "entitlements.period_type",
        "entitlements.price_currency",
        "entitlements.source",
        "entitlements.status",
        "entitlements.store", // of a fixed list
        "events.event_id",    // prevents that the event is applied when the provider sends it again
        "events.provider",
        "events.reason",
        "events.result",
        "events.type",
        "products.features", // set by the tenant's staff
        "products.grants",
        "products.kind",
        "products.name",
        "products.provider_product_id",
        "stats_days.provider_product_id", // sums over all users
        "stats_months.provider_product_id",
        "stats_mrr.currency",
        "sync_requests.source",
        "subscription_former_users.subscription_id", // belongs to another user now
        "webhook_deliveries.other_user_id",          // events of this service are about one user
        "test_clock.*",
    });
    return columns;
}

std::string with_marker(std::string_view prefix)
{
    return std::string(prefix) + marker;
}

/// The statistics keep the ids of products. So purchases of products with a marker give no access.
void plant_purchases(World const& world, json::object const& attributes)
{
    REQUIRE(result_of(world.post_purchase(bought(marker))) == "applied"); // counts in the statistics
    REQUIRE(result_of(world.post_purchase(bought(marker, 1,
                {{"product_id", with_marker("product")}, {"transaction_id", with_marker("transaction")},
                    {"type", "NON_RENEWING_PURCHASE"}, {"subscriber_attributes", attributes},
                    {"expiration_at_ms", events::ms(-60)}, {"store", with_marker("store")},
                    {"cancel_reason", with_marker("reason")}}))) == "applied");
}

void plant_events(World const& world)
{
    json::object const attributes{{"$email", json::object{{"value", with_marker("me@")}}}};
    plant_purchases(world, attributes);
    REQUIRE(result_of(world.post_purchase(bought("bob", 2, {{"aliases", json::array{marker, "bob"}}}))) ==
            "applied");
    REQUIRE(world
                .post_purchase({{"event",
                    json::object{{"id", "t"}, {"type", "TRANSFER"}, {"subscriber_attributes", attributes},
                        {"transferred_from", json::array{marker}}, {"transferred_to", json::array{"bob"}}}}})
                .status == 200);
    REQUIRE(world.post_purchase(bought(marker, 3, {{"product_id", events::undefined}})).status == 400);
    REQUIRE(world.post_purchase(with_marker(R"({"event":{"app_user_id":")") + "\",").status == 400);

    auto const own = with_marker("sub_own");
    auto item = events::item("p", {{"price", events::price(with_marker("price"), with_marker("prod"))}});
    auto const object =
        events::subscription({item}, {{"id", own}, {"metadata", json::object{{"userId", marker}}},
                                         {"description", with_marker("d")}, {"status", "unpaid"}});
    REQUIRE(
        result_of(world.post_payment(events::payment("customer.subscription.created", object))) == "applied");
    REQUIRE(result_of(world.post_payment(paid(4, own))) == "applied");
    auto const no_user =
        events::subscription({events::item("a")}, {{"id", own}, {"metadata", json::object()}});
    REQUIRE(result_of(world.post_payment(events::payment("customer.subscription.updated", no_user))) ==
            "skipped no_user");
    REQUIRE(result_of(world.post_payment(subscribed(marker, 5, "sub_moved"))) == "applied");
    REQUIRE(result_of(world.post_payment(subscribed("bob", 6, "sub_bob"))) == "applied");
    REQUIRE(result_of(world.post_payment(events::payment("invoice.paid",
                events::invoice(
                    "a", {{"id", with_marker("in")},
                             {"parent", json::object{{"subscription_details",
                                            json::object{{"subscription", with_marker("sub_late")},
                                                {"metadata", json::object{{"userId", marker}}}}}}}})))) ==
            "skipped awaiting_subscription");
    REQUIRE(world
                .post_payment(
                    events::payment("customer.created", {{"livemode", false}, {"email", with_marker("me@")},
                                                            {"metadata", json::object{{"userId", marker}}}}))
                .status == 200);
}

/// Grants by staff and by a backend. The member of staff is the user, too.
void plant_grants(World const& world)
{
    auto const product = world.as_backend("demo").post(
        "/v1/products", body({{"providerProductId", "gift"}, {"name", "A gift"}, {"kind", "subscription"}}));
    auto const grant =
        body({{"productId", text(product.json(), "productId")}, {"reason", with_marker("for ")}});
    auto const path = "/v1/users/" + std::string(marker) + "/grants";
    auto owner = world.as_user(marker, "owner");
    owner.set("X-Request-Id", with_marker("request-"));
    auto const given = require(201, owner.post(path, grant, {{"Idempotency-Key", "k"}}));
    require(200, owner.del(path + "/" + text(given.json(), "entitlementId")));
    require(201, world.as_backend().post(path, grant, {{"Idempotency-Key", "k"}}));
}

/// A checkout, its refund, and a late refund: the ids of the payments have the marker.
void plant_payments(World const& world)
{
    auto const session =
        events::checkout_session({{"id", with_marker("cs")}, {"payment_intent", with_marker("pi")},
            {"metadata", json::object{{"userId", marker}, {"productId", "coins"}}}});
    require(201, world.as_backend("demo").post("/v1/products",
                     body({{"providerProductId", "coins"}, {"name", "Coins"}, {"kind", "consumable"}})));
    REQUIRE(
        result_of(world.post_payment(events::payment("checkout.session.completed", session))) == "applied");
    auto const refund =
        events::refunded_charge({{"id", with_marker("ch")}, {"payment_intent", with_marker("pi")},
            {"billing_details", json::object{{"email", with_marker("me@")}}}});
    REQUIRE(result_of(world.post_payment(events::payment("charge.refunded", refund))) == "applied");
}

/// Rows that the service writes about the answers of other systems.
void plant_answers(World const& world)
{
    auto const quoted = "'" + std::string(marker) + "'";
    world.postgres.query("INSERT INTO syncs (tenant_id, user_id, not_before) VALUES (" + world.scope_id() +
                         " / 2, " + quoted + ", now())");
    world.postgres.query(
        "INSERT INTO sync_requests (scope_id, user_id, source, requested_at, repeated_at) VALUES (" +
        world.scope_id() + ", " + quoted + ", 'purchases', now(), now())");
    world.postgres.query("INSERT INTO audit_log (scope_id, audit_id, at, actor, actor_role, action, "
                         "subject_type, subject_id, request_id) VALUES (" +
                         world.scope_id() +
                         ", gen_random_uuid(), now(), 'system:reconciler', 'system', 'entitlements.synced', "
                         "'user', " +
                         quoted + ", '')");
    world.postgres.query("UPDATE webhook_deliveries SET response_excerpt = 'unknown user ' || " + quoted +
                         " WHERE user_id = " + quoted);
}

} // namespace

TEST_CASE("an erasure leaves nothing of the user in the database and in Redis", "[erasure]")
{
    for (bool const deleted : {false, true}) {
        CAPTURE(deleted);
        World world;
        listen(world);
        plant_events(world);
        plant_payments(world);
        plant_grants(world);
        plant_answers(world);
        // A subscription that moved away keeps the items of its former user.
        REQUIRE(result_of(world.post_payment(subscribed("bob", 7, "sub_moved"))) == "applied");
        testing::require_every_column_known(
            world.postgres, testing::find_marker(world.postgres, marker), without_users());
        CHECK_FALSE(testing::find_marker(world.redis, marker).empty());

        require(200, deleted ? delete_account(world, marker) : erase(world, marker));

        CHECK(testing::find_marker(world.postgres, marker).empty());
        CHECK(testing::find_marker(world.redis, marker).empty());
        for (auto const& event : archive(world))
            CHECK((event.at("erasedAt").is_string() || event.at("payload").is_object()));
    }
}
