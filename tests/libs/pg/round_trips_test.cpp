// Round trips of a caller, counted by a proxy in front of the server.
#include "pg/database.hpp"
#include "pg/row.hpp"
#include "proxy.hpp"
#include "schema.hpp"
#include "support/eventually.hpp"
#include "support/run_awaitable.hpp"

#include <catch2/catch.hpp>

namespace {

struct Fixture {
    explicit Fixture(bool pooling = false)
        : database({.url = url(), .threads = 1, .transaction_pooling = pooling})
    {
        REQUIRE(testing::eventually([&] { return database.healthy(); }));
    }

    std::string url() const
    {
        return "host=127.0.0.1 port=" + std::to_string(proxy.port()) +
               " sslmode=disable user=" + postgres.service_role() + " dbname=" + postgres.database();
    }

    /// The round trips of a transaction of `scope` that adds `notes` notes.
    unsigned transact(core::ScopeId scope, int notes)
    {
        auto const before = proxy.turns();
        database.transact_blocking(scope, [&](pg::Tx& tx) {
            for (int i = 0; i < notes; ++i)
                insert_note(tx, scope, core::Uuid::v7(), "x");
        });
        return proxy.turns() - before;
    }

    /// The round trips of a batch's statement that counts the notes of its scope.
    unsigned count_in_batch(core::ScopeId scope, std::int64_t expected)
    {
        unsigned turns = 0;
        auto const work = [&]() -> boost::asio::awaitable<void> {
            auto const connection = co_await database.batch_connection();
            auto const before = proxy.turns();
            auto const rows = co_await connection->run(scope, "SELECT count(*) FROM notes", {});
            turns = proxy.turns() - before;
            CHECK(pg::read_rows(rows, &pg::RowReader::integer) == std::vector{expected});
        };
        testing::run_awaitable(work());
        return turns;
    }

    testing::Postgres postgres = notes_database();
    Proxy proxy{postgres.port()};
    pg::Database database;
};

} // namespace

TEST_CASE("a transaction's scope is set in the round trip of its first statement")
{
    Fixture f(GENERATE(false, true)); // true: behind a pooler, where the settings are sent as well
    // The first round trip sends BEGIN and the statement, and prepares the statement. The second sends
    // COMMIT.
    CHECK(f.transact(core::ScopeId{2}, 1) == 2);
    CHECK(f.transact(core::ScopeId{4}, 1) == 2);
    CHECK(f.transact(core::ScopeId{2}, 5) == 6);
    CHECK(f.transact(core::ScopeId{2}, 0) == 0);
    CHECK(f.postgres.query("SELECT string_agg(scope_id::text, ',' ORDER BY scope_id) FROM notes") ==
          "2,2,2,2,2,2,4");
}

TEST_CASE("a batch sets its scopes and runs its statement in one round trip")
{
    Fixture f(GENERATE(false, true));
    f.transact(core::ScopeId{2}, 3);
    CHECK(f.count_in_batch(core::ScopeId{2}, 3) == 1);
    CHECK(f.count_in_batch(core::ScopeId{4}, 0) == 1);
}
