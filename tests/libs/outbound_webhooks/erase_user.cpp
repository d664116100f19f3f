#include "delivery.hpp"

using namespace webhooks_test;

namespace {

/// Erases the user in steps of at most `limit` deliveries; returns the results of the steps.
std::vector<std::size_t> erase(Fixture& f, std::string const& user_id, std::size_t limit = 500)
{
    std::vector<std::size_t> steps;
    do {
        steps.push_back(f.database.transact_blocking(f.scope, [&](pg::Tx& tx) {
            return outbound_webhooks::erase_user(tx, f.scope.id, core::UserId(user_id), "deleted:1", limit);
        }));
    } while (steps.back() == limit);
    return steps;
}

json::object data_of(Fixture& f)
{
    return json::parse(f.postgres.query("SELECT payload FROM webhook_deliveries")).at("data").as_object();
}

} // namespace

TEST_CASE("the erasure of a user deletes the deliveries of events about the user")
{
    Fixture f;
    f.create("https://example.com/");
    f.publish("item.created", R"({"userId":"ada"})", "ada");
    f.publish("item.created", R"({"userId":"bob"})", "bob");
    f.publish("item.created", R"({"userId":null})");
    auto const scope = f.scope;
    f.scope = core::Scope::of(core::TenantId{1}, core::Environment::sandbox, "demo");
    f.create("https://example.com/");
    f.publish("item.created", R"({"userId":"ada"})", "ada");
    f.scope = scope;

    CHECK(erase(f, "ada") == std::vector<std::size_t>{1});
    CHECK(f.count("webhook_deliveries") == 3);
    CHECK(f.count("webhook_deliveries WHERE user_id = 'ada' AND scope_id = 3") == 1);
    CHECK(erase(f, "ada") == std::vector<std::size_t>{0});
}

TEST_CASE("a dead job of a deleted delivery is deleted")
{
    Fixture f;
    f.create("https://example.com/");
    f.publish("item.created", "{}", "ada");
    f.publish("item.created", "{}", "bob");
    f.publish("item.created", "{}", "bob", "ada");
    f.postgres.query("INSERT INTO dead_jobs SELECT scope_id, queue, ref, 1, 'reason', now() FROM jobs");
    erase(f, "ada");
    CHECK(f.count("dead_jobs") == 1);
    CHECK(f.count("dead_jobs JOIN webhook_deliveries ON ref = delivery_id WHERE user_id = 'bob'") == 1);
}

TEST_CASE("an erasure replaces the id and removes the email of the user in events of other users")
{
    Fixture f;
    f.create("https://example.com/");
    f.publish("item.updated",
        R"({"itemId":"i1","userId":"bob","userEmail":"bob@example.com","assigneeId":"ada","assigneeEmail":"ada@example.com"})",
        "bob", "ada");
    f.postgres.query("UPDATE webhook_deliveries SET response_excerpt = 'ada'");
    CHECK(erase(f, "ada") == std::vector<std::size_t>{1});
    CHECK(data_of(f) == json::parse(R"({"itemId":"i1","userId":"bob","userEmail":"bob@example.com",
                                        "assigneeId":"deleted:1","assigneeEmail":null})"));
    CHECK(f.count("webhook_deliveries WHERE response_excerpt IS NULL AND other_user_id IS NULL") == 1);
    CHECK(erase(f, "ada") == std::vector<std::size_t>{0});
    CHECK(erase(f, "bob") == std::vector<std::size_t>{1});
    CHECK(f.count("webhook_deliveries") == 0);
}

TEST_CASE("the response to a payload that the erasure changed during the attempt is not stored")
{
    Delivery f;
    Receiver const echo([&f](Received const& request) {
        if (request.body.find("ada") != std::string::npos) erase(f, "ada");
        return reply(500, request.body);
    });
    auto const hook = f.create(echo.url("/")).id;
    f.publish("item.updated", R"({"userId":"bob","assigneeId":"ada"})", "bob", "ada");
    f.attempts(1);
    auto const delivery = f.delivery(hook);
    CHECK(delivery.at("lastStatus") == 500);
    CHECK(delivery.at("responseExcerpt").is_null());
    CHECK(f.count("webhook_deliveries d WHERE d::text LIKE '%ada%'") == 0);
    CHECK(data_of(f).at("assigneeId") == "deleted:1");
}

TEST_CASE("the erasure replaces only the members of the event whose value is the user's id")
{
    Fixture f;
    f.create("https://example.com/");
    f.publish("item.updated", R"({"ownerId":"ada","title":"ada","editorId":"ada","otherId":"adam","n":1.50})",
        {}, "ada");
    erase(f, "ada");
    CHECK(f.postgres.query(
              "SELECT payload::jsonb -> 'data' = '{\"ownerId\": \"deleted:1\", \"title\": \"ada\", "
              "\"editorId\": \"deleted:1\", \"otherId\": \"adam\", \"n\": 1.50}' FROM webhook_deliveries") ==
          "t");
}

TEST_CASE("the erasure deletes an event that concerns the user but does not name the user")
{
    Fixture f;
    f.create("https://example.com/");
    f.publish("item.created", R"({"authorId":"bob"})", "bob", "ada");
    f.publish("item.created", R"({"authorId":"key:1"})", {}, "ada");
    CHECK(erase(f, "ada") == std::vector<std::size_t>{2});
    CHECK(f.count("webhook_deliveries") == 0);
}

TEST_CASE("a step of the erasure processes at most its limit")
{
    Fixture f;
    f.create("https://example.com/");
    for (int i = 0; i < 3; ++i) {
        f.publish("item.created", "{}", "ada");
        f.publish("item.updated", R"({"assigneeId":"ada"})", "bob", "ada");
        f.publish("item.created", "{}", "bob", "ada");
    }
    CHECK(erase(f, "ada", 2) == std::vector<std::size_t>{2, 2, 2, 2, 1});
    CHECK(f.count("webhook_deliveries") == 3);
    CHECK(f.count("webhook_deliveries WHERE payload LIKE '%ada%'") == 0);
}

TEST_CASE("deliveries that an earlier version wrote are found")
{
    Fixture f;
    auto const insert = [&](int scope, std::string const& payload) {
        f.postgres.query(
            "INSERT INTO webhook_deliveries (scope_id, delivery_id, webhook_id, event_type, payload, "
            "expires_at, created_at) VALUES (" +
            std::to_string(scope) + ", gen_random_uuid(), gen_random_uuid(), 'x', '" + payload +
            "', now(), now())");
    };
    for (auto const* user : {"ada", "bob"}) {
        auto const id = "\"" + std::string(user) + "\"";
        insert(2, R"({"data":{"userId":)" + id + "}}");
        insert(2, R"({"data":{"userId":"eve","assigneeId":)" + id + "}}");
        insert(2, R"({"data":{"authorId":)" + id + "}}");
        insert(2, R"({"data":{"entitlement":{"userId":)" + id + "}}}");
        insert(2, R"({"data":{"user":{"userId":)" + id + "}}}");
        insert(2, R"({"data":{"channel":"push","to":)" + id + "}}");
        insert(3, R"({"data":{"userId":)" + id + "}}");
    }
    insert(2, R"({"data":{"channel":"email","to":"ada"}})");
    insert(2, R"({"data":{"channel":"other","to":"ada"}})");
    insert(2, R"({"data":{"title":"\u0000","userId":"ada"}})");
    insert(2, "no JSON");
    insert(2, R"({"data":1})");
    CHECK(erase(f, "ada", 6) == std::vector<std::size_t>{6, 6, 6, 1});
    CHECK(f.count("webhook_deliveries WHERE scope_id = 2") == 11);
    CHECK(f.count("webhook_deliveries WHERE scope_id = 2 AND payload LIKE '%\"ada\"%'") == 2);
    CHECK(f.count("webhook_deliveries WHERE payload LIKE '%deleted:1%'") == 1);
    CHECK(f.count("webhook_deliveries WHERE NOT filed") == 2);
    insert(2, R"({"data":{"authorId":"master"}})");
    insert(2, R"({"data":{"authorId":"key:fbk_a1b2"}})");
    CHECK(erase(f, "bob").size() == 1);
    for (auto const* id : {"master", "key:fbk_a1b2"}) {
        CHECK(erase(f, id) == std::vector<std::size_t>{0});
        CHECK(f.count("webhook_deliveries WHERE payload LIKE '%" + std::string(id) + "%'") == 1);
    }
    CHECK(f.count("webhook_deliveries WHERE scope_id = 2 AND payload LIKE '%\"bob\"%'") == 0);
}

TEST_CASE("a step reads only as many deliveries that an earlier version wrote as it files")
{
    Fixture const f;
    f.postgres.query(R"(
        INSERT INTO webhook_deliveries (scope_id, delivery_id, webhook_id, event_type, payload, filed, expires_at, created_at)
        SELECT 2, gen_random_uuid(), gen_random_uuid(), 'x', '{}', n % 10 > 0, now(), now()
        FROM generate_series(1, 30000) AS n;
        ANALYZE webhook_deliveries)");
    auto const plan = f.postgres.query(R"(
        EXPLAIN (FORMAT JSON)
        SELECT delivery_id, payload
        FROM webhook_deliveries
        WHERE scope_id = 2 AND NOT filed
        ORDER BY delivery_id
        LIMIT 100
        FOR NO KEY UPDATE)");
    INFO(plan);
    CHECK(plan.find("\"webhook_deliveries_not_filed\"") != std::string::npos);
    CHECK(plan.find("\"Sort\"") == std::string::npos);
}
