#include "erasing.hpp"
#include "support/postgres.hpp"

#include <map>

using namespace erasing;

// Events that name users other than their own user.

TEST_CASE("an event of another user loses only the id of the erased user", "[erasure]")
{
    World const world;
    auto const sent = bought("bob", 1,
        {{"id", "e"}, {"aliases", json::array{"ada", "bob"}}, {"original_app_user_id", "ada"}, {"ada", "x"}});
    REQUIRE(result_of(world.post_purchase(sent)) == "applied");
    auto const before = the_event(world);
    auto const entitlement = world.entitlement("pro.monthly", "bob");
    require(200, erase(world, "ada"));
    auto const after = the_event(world);
    CHECK(text(after, "userId") == "bob");
    CHECK(after.at("erasedAt").is_null());
    CHECK(json::serialize(after).find("\"ada\"") == std::string::npos);
    auto const& event = after.at("payload").at("event").as_object();
    CHECK(is_pseudonym(event.at("aliases").at(0)));
    CHECK(event.at("aliases").at(1) == "bob");
    CHECK(is_pseudonym(event.at("original_app_user_id")));
    CHECK(event.at("subscriber_attributes") == before.at("payload").at("event").at("subscriber_attributes"));
    // The event still belongs to bob.
    world.postgres.query("DELETE FROM entitlements");
    CHECK(replay(world, after) == "applied null");
    CHECK(world.entitlement("pro.monthly", "bob") == entitlement);
    require(200, erase(world, "bob"));
    CHECK(is_erased(the_event(world)));
}

TEST_CASE("an event of the erased user that names others keeps only their ids", "[erasure]")
{
    World const world;
    REQUIRE(result_of(world.post_purchase(bought("ada", 1, {{"aliases", json::array{"ada", "bob"}}}))) ==
            "applied");
    require(200, erase(world, "ada"));
    auto const after = the_event(world);
    CHECK(is_pseudonym(after.at("userId")));
    CHECK(after.at("erasedAt").is_string());
    auto const& event = after.at("payload").at("event").as_object();
    CHECK(is_pseudonym(event.at("app_user_id")));
    CHECK(event.at("aliases").at(1) == "bob");
    CHECK_FALSE(event.contains("subscriber_attributes"));
    CHECK(replay(world, after) == "skipped user_erased");
    require(200, erase(world, "bob"));
    CHECK(is_erased(the_event(world)));
    CHECK(count(world, "event_users WHERE user_id IN ('ada', 'bob')") == "0");
}

TEST_CASE("a transfer keeps the user who was not erased", "[erasure]")
{
    World const world;
    json::object const transfer{{"id", "t"}, {"type", "TRANSFER"}, {"environment", "SANDBOX"},
        {"transferred_from", json::array{"ada", "$RCAnonymousID:1"}}, {"transferred_to", json::array{"bob"}}};
    REQUIRE(world.post_purchase({{"event", transfer}}).status == 200);
    require(200, erase(world, "ada"));
    auto const after = the_event(world);
    CHECK(after.at("erasedAt").is_null());
    CHECK(is_pseudonym(after.at("payload").at("event").at("transferred_from").at(0)));
    CHECK(after.at("payload").at("event").at("transferred_to") == json::array{"bob"});
    CHECK(replay(world, after) == "skipped handled_by_sdk_login");
    require(200, erase(world, "bob"));
    CHECK(is_erased(the_event(world)));

    // Arrives after the erasure of both.
    require(200, delete_account(world, "ada"));
    REQUIRE(world.post_purchase({{"event", events::changed(transfer, {{"id", "u"}})}}).status == 200);
    auto const late = event_with(world, "u");
    CHECK(text(late, "reason") == "handled_by_sdk_login");
    CHECK(is_pseudonym(late.at("payload").at("event").at("transferred_from").at(0)));
    CHECK(late.at("payload").at("event").at("transferred_to") == json::array{"bob"});
}

TEST_CASE(
    "an event of another user that arrives later does not name a user whose account was deleted", "[erasure]")
{
    for (bool const told : {false, true}) {
        CAPTURE(told);
        World const world;
        if (told) listen(world);
        require(200, delete_account(world, "ada"));
        CHECK(result_of(world.post_purchase(bought("bob", 1, {{"aliases", json::array{"ada", "bob"}}}))) ==
              "applied");
        auto const event = the_event(world);
        CHECK(text(event, "userId") == "bob");
        CHECK(is_pseudonym(event.at("payload").at("event").at("aliases").at(0)));
        CHECK(world.entitlements("bob").size() == 1);
        CHECK(count(world, "event_users WHERE user_id = 'ada'") == "0");
    }
}

TEST_CASE("an event that names many users is erased under each of them", "[erasure]")
{
    World const world;
    constexpr int users = 300;
    json::array aliases;
    for (int n = 0; n < users; ++n)
        aliases.emplace_back("alias" + std::to_string(n));
    REQUIRE(result_of(world.post_purchase(bought("bob", 1, {{"aliases", aliases}}))) == "applied");
    CHECK(count(world, "event_users") == std::to_string(users + 1)); // and original_app_user_id
    require(200, erase(world, "alias299"));
    auto const left = the_event(world).at("payload").at("event").at("aliases").as_array();
    CHECK(left.at(298) == "alias298");
    CHECK(is_pseudonym(left.at(299)));
    CHECK(count(world, "event_users") == std::to_string(users));
}

TEST_CASE(
    "events that wait for a subscription, or do not name its user, are erased with the user", "[erasure]")
{
    World const world;
    // Names the user only in its metadata, and waits for ever.
    REQUIRE(
        result_of(world.post_payment(events::payment("invoice.paid",
            events::invoice("a", {{"parent", json::object{{"subscription_details",
                                                 json::object{{"subscription", "sub_9"},
                                                     {"metadata", json::object{{"userId", "ada"}}}}}}}})))) ==
        "skipped awaiting_subscription");
    REQUIRE(result_of(world.post_payment(subscribed("ada", 1))) == "applied");
    auto const no_user = events::subscription({events::item("a")}, {{"metadata", json::object()}});
    REQUIRE(result_of(world.post_payment(events::payment("customer.subscription.updated", no_user))) ==
            "skipped no_user");
    REQUIRE(world.post_purchase(R"({"event":{"aliases": [ "eve", "ada" ], )").status == 400);
    require(200, erase(world, "ada"));
    auto const all = archive(world);
    REQUIRE(all.size() == 4);
    for (auto const& event : all)
        CHECK(is_erased(event));
}

TEST_CASE("a subscription that moved to another user loses the items of the erased user", "[erasure]")
{
    World const world;
    REQUIRE(result_of(world.post_payment(subscribed("ada", 1))) == "applied");
    REQUIRE(result_of(world.post_payment(subscribed("bob", 2, "sub_1",
                {{"data", json::object{{"object", subscribed("bob").at("data").at("object")},
                              {"previous_attributes",
                                  json::object{{"metadata", json::object{{"userId", "ada"}}}}}}}}))) ==
            "applied");
    CHECK(count(world, "subscription_former_users WHERE user_id = 'ada'") == "1");
    auto const of_bob = world.entitlements("bob");
    REQUIRE(of_bob.size() == 1);
    require(200, erase(world, "ada"));
    CHECK(world.entitlements("ada").empty());
    CHECK(world.entitlements("bob") == of_bob);
    CHECK(count(world, "subscription_former_users") == "0");
    CHECK(count(world, "payment_subscriptions WHERE state::text LIKE '%ada%'") == "0");
    CHECK(count(world, "events WHERE payload LIKE '%\"ada\"%'") == "0");
    CHECK(result_of(world.post_payment(paid(3))) == "applied");
    CHECK(world.entitlements("bob").size() == 1);
    CHECK(world.entitlements("ada").empty());
    // Erasing bob deletes the row, and erasing him again finds nothing.
    REQUIRE(result_of(world.post_payment(subscribed("eve", 4))) == "applied");
    require(200, erase(world, "eve"));
    CHECK(count(world, "payment_subscriptions") == "0");
    CHECK(count(world, "subscription_former_users") == "0");
}

TEST_CASE("an erasure finds events that name the user and were archived by an older version", "[erasure]")
{
    World const world;
    constexpr int events = 1200; // several steps
    world.postgres.query("INSERT INTO event_filing VALUES (" + world.scope_id() +
                         ", '-infinity', '00000000-0000-0000-0000-000000000000', now() - interval '1 hour')");
    auto const event = body(bought("bob", 0, {{"aliases", json::array{"ada", "bob"}}}));
    world.postgres.query(
        "INSERT INTO events (scope_id, received_at, archive_id, provider, event_id, type, result, user_id, "
        "event_at, payload) SELECT " +
        world.scope_id() +
        ", now() - n * interval '1 second', gen_random_uuid(), 'purchases', 'old' || n, 'RENEWAL', "
        "'applied', 'bob', now(), '" +
        event + "' FROM generate_series(1, " + std::to_string(events) + ") n");
    require(200, erase(world, "ada"));
    CHECK(count(world, "events WHERE payload LIKE '%\"ada\"%'") == "0");
    CHECK(count(world, "events WHERE payload LIKE '%\"bob\"%' AND erased_at IS NULL") ==
          std::to_string(events));
    CHECK(count(world, "event_filing") == "0");
}

TEST_CASE("an upgrade prepares stored data for the erasure of users", "[erasure]")
{
    auto const components = billing::definition().components;
    pg::Component older = *components.back();
    REQUIRE(older.name == "billing");
    older.migrations.resize(2);
    auto before = components;
    before.back() = &older;
    testing::Postgres const postgres("billing");
    pg::migrate(postgres.owner_url(), before, postgres.service_role());
    postgres.query(R"(
        INSERT INTO tenants (slug, display_name, status, limits, created_at, updated_at)
        VALUES ('demo', 'Demo', 'active', '{}', now(), now());
        INSERT INTO payment_subscriptions (scope_id, subscription_id, user_id, state, revision)
        VALUES
            (3, 'moved', 'bob', '{"removed": [{"userId": "ada"}, {"userId": "bob"}, {"userId": "ada"}]}', 1),
            (3, 'plain', 'bob', '{"removed": []}', 1))");
    pg::migrate(postgres.owner_url(), components, postgres.service_role());
    auto const moved =
        "SELECT string_agg(user_id || ' ' || subscription_id, ',') FROM subscription_former_users";
    CHECK(postgres.query(moved) == "ada moved");
    CHECK(postgres.query("SELECT string_agg(scope_id::text, ',' ORDER BY 1) FROM event_filing") == "2,3");
    // The previous version still runs.
    postgres.query(R"(
        UPDATE payment_subscriptions SET state = '{"removed": [{"userId": "eve"}]}' WHERE subscription_id = 'plain')");
    CHECK(postgres.query(std::string(moved) + " WHERE user_id = 'eve'") == "eve plain");
}
