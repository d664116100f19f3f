#include "fixture.hpp"
#include "outbound_webhooks/policy.hpp"

#include <stdexcept>

using namespace webhooks_test;

TEST_CASE("an event goes to each enabled webhook of the scope that subscribes to it")
{
    Fixture f;
    auto const all = f.create("https://example.com/all").id;
    auto const some = f.create("https://example.com/some", R"(,"events":["item.updated"])").id;
    auto const off = f.create("https://example.com/off", R"(,"enabled":false)").id;
    f.scope = core::Scope::of(core::TenantId{1}, core::Environment::sandbox, "demo");
    auto const other = f.create("https://example.com/other").id;
    f.scope = core::Scope::of(core::TenantId{1}, core::Environment::production, "demo");

    CHECK(f.publish("item.created") == 1);
    CHECK(f.publish("item.updated") == 2);
    CHECK(f.deliveries(all).size() == 2);
    CHECK(f.deliveries(some).size() == 1);
    CHECK(f.deliveries(off).empty());
    CHECK(f.count("webhook_deliveries WHERE webhook_id = '" + other + "'") == 0);
    CHECK(f.count("jobs j JOIN webhook_deliveries d ON d.scope_id = j.scope_id AND d.delivery_id = j.ref "
                  "WHERE j.queue = 'webhooks'") == 3);
}

TEST_CASE("the body is the event in an envelope, unchanged")
{
    Fixture f;
    f.create("https://example.com/");
    f.publish("item.created", R"({"z":1,"a":"\u00e9", "n":1.0})");
    CHECK(
        f.postgres.query("SELECT payload FROM webhook_deliveries") ==
        R"({"type":"item.created","timestamp":"2026-01-01T00:00:00.000Z","data":{"z":1,"a":"\u00e9", "n":1.0}})");
}

TEST_CASE("an event that is rolled back is not published")
{
    Fixture f;
    f.create("https://example.com/");
    CHECK_THROWS_AS(f.database.transact_blocking(f.scope,
                        [&](pg::Tx& tx) {
                            outbound_webhooks::publish(tx, {.scope = f.scope},
                                {.type = "item.created", .data_json = "{}", .at = f.clock.now()});
                            throw std::runtime_error("no");
                        }),
        std::runtime_error);
    CHECK(f.count("webhook_deliveries") == 0);
    CHECK(f.count("jobs") == 0);
}

TEST_CASE("an event goes to the maximum number of webhooks")
{
    Fixture f;
    for (std::size_t i = 0; i < outbound_webhooks::max_per_scope; ++i)
        f.create("https://example.com/" + std::to_string(i));
    CHECK(f.publish() == outbound_webhooks::max_per_scope);
    CHECK(f.count("(SELECT DISTINCT webhook_id FROM webhook_deliveries) AS w") == 20);
}

TEST_CASE("old deliveries are purged unless they are pending")
{
    Fixture f;
    f.create("https://example.com/");
    for (int i = 0; i < 3; ++i)
        f.publish();
    f.postgres.query("UPDATE webhook_deliveries SET status = 'delivered'");
    f.publish();
    f.clock.advance(outbound_webhooks::retention - 1s);
    f.publish();
    f.postgres.query("UPDATE webhook_deliveries SET status = 'failed' WHERE created_at > '2026-01-02'");
    std::vector<core::ScopeId> const scopes{f.scope.id, core::ScopeId{core::number(f.scope.id) + 2}};
    auto const purge = [&](std::size_t limit) {
        return f.database.transact_blocking(pg::Scopes(scopes), [&](pg::Tx& tx) {
            return outbound_webhooks::purge(tx, scopes, f.clock.now() - outbound_webhooks::retention, limit);
        });
    };
    CHECK(purge(10) == 0);
    f.clock.advance(2s);
    CHECK(purge(2) == 2);
    CHECK(purge(2) == 1);
    // Pending deliveries of any age are kept.
    CHECK(f.count("webhook_deliveries WHERE status = 'pending'") == 1);
    CHECK(f.count("webhook_deliveries") == 2);
}

TEST_CASE("encrypting secrets again with another key affects only one scope")
{
    Fixture f;
    f.create("https://example.com/a");
    auto const rotated = f.create("https://example.com/b").id;
    f.call(outbound_webhooks::rotate_webhook_secret, {}, {{"webhookId", rotated}});
    f.scope = core::Scope::of(core::TenantId{1}, core::Environment::sandbox, "demo");
    f.create("https://example.com/c");
    f.scope = core::Scope::of(core::TenantId{1}, core::Environment::production, "demo");

    auto const both = crypto::Keyring::parse(std::string(second_key) + ',' + first_key);
    auto const reencrypt = [&](crypto::Keyring const& keyring) {
        return f.database.transact_blocking(
            f.scope, [&](pg::Tx& tx) { return outbound_webhooks::reencrypt(tx, f.scope, keyring); });
    };
    CHECK(reencrypt(both) == 2);
    CHECK(reencrypt(both) == 0);
    CHECK(f.count("webhooks WHERE secret LIKE 'two:%'") == 2);
    CHECK(f.count("webhooks WHERE previous_secret LIKE 'two:%'") == 1);
    CHECK(f.count("webhooks WHERE secret LIKE 'one:%'") == 1);
    CHECK_THROWS_AS(reencrypt(crypto::Keyring::parse(first_key)), std::runtime_error);
    CHECK(f.count("webhooks WHERE secret LIKE 'two:%'") == 2);
}
