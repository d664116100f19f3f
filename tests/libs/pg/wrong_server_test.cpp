#include "pg/database.hpp"
#include "pg/listener.hpp"
#include "pg/row.hpp"
#include "proxy.hpp"
#include "schema.hpp"
#include "server_settings.hpp"
#include "standby.hpp"
#include "support/eventually.hpp"
#include "support/pgbouncer.hpp"
#include "support/run_awaitable.hpp"

#include <catch2/catch.hpp>
#include <pqxx/except>

#include <functional>

// After a failover a connection may lead to a server that takes no writes. Such a connection is discarded.

using namespace std::chrono_literals;

namespace {

void write_note(pg::Tx& tx)
{
    insert_note(tx, core::ScopeId{2}, core::Uuid::v7(), "x");
}

/// The error code of a write in its own transaction; "" if the row was stored.
std::string transaction(pg::Database& database)
{
    return error_code_of([&] { database.transact_blocking(core::ScopeId{2}, write_note); });
}

/// Like `transaction`, in a batch.
std::string batch(pg::Database& database)
{
    return error_code_of([&] {
        testing::run_awaitable([&]() -> boost::asio::awaitable<void> {
            auto const connection = co_await database.batch_connection();
            co_await connection->run(core::ScopeId{2},
                "INSERT INTO notes (scope_id, id, body) VALUES (2, $1, 'x')", {core::Uuid::v7()});
        }());
    });
}

using Write = std::function<std::string(pg::Database&)>;

/// Repeats the call until it returns `code`. Returns false if it does not in time. Until then each call must
/// return "" or UNAVAILABLE. Other errors are thrown.
bool comes_to(pg::Database& database, Write const& call, std::string const& code)
{
    return testing::eventually([&] { return call(database) == code; });
}

} // namespace

TEST_CASE("writes give UNAVAILABLE while the server is read-only, and work again afterwards")
{
    bool const pooled = GENERATE(false, true);
    Write const call = GENERATE(Write(transaction), Write(batch));
    auto const postgres = notes_database();
    testing::PgBouncer const pooler(postgres, 2);
    pg::Database database({.url = pooled ? pooler.service_url() : postgres.service_url(),
        .threads = 2,
        .transaction_pooling = pooled});
    REQUIRE(call(database).empty());
    ServerSettings read_only(postgres, {{"default_transaction_read_only", "on"}});
    CHECK(comes_to(database, call, "UNAVAILABLE"));
    for (int i = 0; i < 10; ++i)
        CHECK(call(database) == "UNAVAILABLE");
    read_only.reset();
    CHECK(comes_to(database, call, ""));
    for (int i = 0; i < 10; ++i)
        CHECK(call(database).empty());
}

TEST_CASE("a pooler that started before a read-only server became writable can be used")
{
    auto const postgres = notes_database();
    ServerSettings read_only(postgres, {{"default_transaction_read_only", "on"}});
    testing::PgBouncer const pooler(postgres, 2);
    pg::Database database({.url = pooler.service_url(), .threads = 2, .transaction_pooling = true});
    CHECK(transaction(database) == "UNAVAILABLE");
    CHECK(batch(database) == "UNAVAILABLE");
    read_only.reset();
    CHECK(comes_to(database, transaction, ""));
    CHECK(comes_to(database, batch, ""));
}

TEST_CASE("a connection to a standby is not kept")
{
    // The URL may ask for any server; the default is one that takes writes.
    std::string const attributes = GENERATE("", " target_session_attrs=any");
    auto const postgres = notes_database();
    Standby const standby(postgres);
    Proxy proxy(standby.port());
    auto const url = "host=127.0.0.1 sslmode=disable user=" + postgres.service_role() +
                     " dbname=" + postgres.database() + " port=" + std::to_string(proxy.port()) + attributes;
    pg::Database database({.url = url, .threads = 3});
    for (int i = 0; i < 10; ++i) {
        CHECK(transaction(database) == "UNAVAILABLE");
        CHECK(batch(database) == "UNAVAILABLE");
    }
    if (attributes.empty()) CHECK_FALSE(database.healthy());
    proxy.move_to(postgres.port());
    CHECK(comes_to(database, transaction, ""));
    CHECK(comes_to(database, batch, ""));
    CHECK(database.healthy());
}

TEST_CASE("a listener does not stay connected to a standby")
{
    auto const postgres = notes_database();
    Standby const standby(postgres);
    Proxy proxy(standby.port());
    auto const url = "host=127.0.0.1 sslmode=disable user=" + postgres.service_role() +
                     " dbname=" + postgres.database() + " port=" + std::to_string(proxy.port());
    pg::Listener const listener(url, {{"news", [](std::string const&) {}}}, [] {});
    proxy.move_to(postgres.port());
    CHECK(testing::eventually([&] { return listener.live(); }));
}

TEST_CASE("a write in a read-only transaction is reported as a fault of the caller")
{
    auto const postgres = notes_database();
    pg::Database database({.url = postgres.service_url(), .threads = 1});
    auto const backend = [&] {
        return database.transact_blocking(
            {}, [](pg::Tx& tx) { return pg::RowReader(tx.run("SELECT pg_backend_pid()")[0]).integer(); });
    };
    auto const before = backend();
    CHECK_THROWS_AS(testing::run_awaitable(database.read(core::ScopeId{2}, write_note)), pqxx::sql_error);
    CHECK(backend() == before);
}
