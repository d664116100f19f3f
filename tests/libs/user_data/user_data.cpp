#include "user_data/user_data.hpp"

#include "audit/audit.hpp"
#include "idempotency/once.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "support.hpp"
#include "user_data/export.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

TEST_CASE("a step runs in one transaction after another until it has processed less than its limit")
{
    Fixture f;
    f.write("ada", 1200);
    f.write("bob", 3);
    f.write("ada", 3, f.sandbox);
    std::vector<std::size_t> steps;
    f.users.add_step([&](pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit) {
        steps.push_back(erase_notes(tx, erasure, limit));
        return steps.back();
    });
    f.erase();
    CHECK(steps == std::vector<std::size_t>{500, 500, 200});
    CHECK(f.count("notes") == 6);
    CHECK(f.count("notes WHERE user_id = 'ada' AND scope_id = 2") == 0);
    steps.clear();
    f.erase();
    CHECK(steps == std::vector<std::size_t>{0});
}

TEST_CASE("the steps run in their order, then those of the shared tables, then the functions for other data")
{
    Fixture f;
    f.postgres.query("INSERT INTO audit_log VALUES (2, gen_random_uuid(), now(), 'ada', 'user', 'a', 't', "
                     "'s', NULL, NULL, 'r')");
    std::string order;
    f.users.add_step([&](pg::Tx&, user_data::Erasure const&, std::size_t) { return order += "1", 0; });
    f.users.add_step([&](pg::Tx&, user_data::Erasure const&, std::size_t) {
        order += f.count("audit_log WHERE actor = 'ada'") == 1 ? "2" : "late";
        return 0;
    });
    f.users.add_outside([&](user_data::Erasure const& erasure) -> boost::asio::awaitable<void> {
        order += f.count("audit_log WHERE actor = '" + erasure.pseudonym.text() + "'") == 1 ? "3" : "early";
        co_return;
    });
    f.erase();
    CHECK(order == "123");
}

TEST_CASE("an erasure covers the tables of the libraries")
{
    Fixture f;
    f.postgres.query(R"(
        INSERT INTO webhook_deliveries (scope_id, delivery_id, webhook_id, event_type, payload, expires_at, created_at, filed, user_id,
                                        other_user_id)
        SELECT 2, gen_random_uuid(), gen_random_uuid(), 'x', '{"data":{"userId":"bob","assigneeId":"ada"}}', now(), now(), true,
               CASE WHEN i <= 600 THEN 'ada' ELSE 'bob' END, CASE WHEN i > 600 THEN 'ada' END
        FROM generate_series(1, 1200) i;
        INSERT INTO idempotency_keys (scope_id, key_hash, fingerprint, status, body, sealed, created_at, user_id, about_user_id)
        SELECT 2, sha256(i::text::bytea), sha256(''), 201, '{}', false, now(), 'ada', 'bob' FROM generate_series(1, 600) i;
        INSERT INTO audit_log
        SELECT 2, gen_random_uuid(), now(), 'ada', 'admin', 'a', 'user', 'ada', NULL, NULL, 'r' FROM generate_series(1, 600) i)");
    auto const erasure = f.erasure();
    testing::run_awaitable(f.users.erase(erasure));
    CHECK(f.count("webhook_deliveries") == 600);
    CHECK(f.count("webhook_deliveries WHERE payload LIKE '%ada%' OR other_user_id IS NOT NULL") == 0);
    CHECK(f.count("idempotency_keys") == 0);
    auto const& pseudonym = erasure.pseudonym.text();
    CHECK(f.count("audit_log WHERE actor = '" + pseudonym + "' AND subject_id = '" + pseudonym + "'") == 600);
}

TEST_CASE("a failed erasure continues when it is repeated")
{
    Fixture f;
    f.write("ada", 1200);
    int calls = 0;
    f.users.add_step([&](pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit) {
        auto const done = erase_notes(tx, erasure, limit);
        if (++calls == 2) throw std::runtime_error("no");
        return done;
    });
    CHECK_THROWS(f.erase());
    CHECK(f.count("notes") == 700);
    f.erase();
    CHECK(f.count("notes") == 0);
}

TEST_CASE("pseudonyms differ and contain a random UUID")
{
    auto const a = user_data::new_pseudonym().text(), b = user_data::new_pseudonym().text();
    CHECK(a != b);
    CHECK(a.starts_with("deleted:"));
    CHECK(core::Uuid::parse(a.substr(8)));
}
