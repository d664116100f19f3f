#include "certificates.hpp"
#include "pg/database.hpp"
#include "pg/listener.hpp"
#include "pg/row.hpp"
#include "proxy.hpp"
#include "schema.hpp"
#include "support/eventually.hpp"
#include "support/run_awaitable.hpp"
#include "support/scopes.hpp"

#include <catch2/catch.hpp>

#include <atomic>

using namespace std::chrono_literals;

namespace {

/// Smaller than the largest messages of these tests, and larger than a loopback packet.
constexpr int socket_buffer = 128 * 1024;

/// A PostgreSQL server behind TLS with the name `pg.test`, in records of 16 KiB.
struct Fixture {
    /// A connection string. `name` is the name that the client expects, `authority` the authority that it
    /// trusts.
    std::string url(std::string const& name, std::string const& authority) const
    {
        return "host=" + name + " hostaddr=127.0.0.1 port=" + std::to_string(proxy.port()) +
               " sslmode=verify-full sslrootcert=" + authority + " user=" + postgres.service_role() +
               " dbname=" + postgres.database();
    }

    testing::Postgres postgres = notes_database();
    Certificates certificates{"pg.test"};
    Proxy proxy{postgres.port(), certificates.server(), socket_buffer};
};

/// `rows` rows of `size` bytes each.
constexpr std::string_view many_bytes = "SELECT repeat('x', $1::int) FROM generate_series(1, $2::int)";
constexpr int rows = 7;
/// Sizes of rows. Depending on the size, a TLS record ends with a whole row or with a part of a row.
constexpr int smallest = 3000, largest = 5000, step = 61;

std::size_t total(auto const& result)
{
    std::size_t sum = 0;
    for (auto const& text : pg::read_rows(result, &pg::RowReader::text))
        sum += text.size();
    return sum;
}

/// Scopes whose text has about 8 MiB. The server sends this text back before it reads the next statement.
pg::Scopes very_many_scopes()
{
    constexpr std::int64_t first = 1'000'000'000'000'000'000;
    return pg::Scopes(testing::scopes_between(first, first + 419'999));
}

} // namespace

TEST_CASE_METHOD(Fixture, "8 MiB are sent in both directions even if the buffers of both sides are full")
{
    pg::Database database(
        {.url = url("pg.test", certificates.authority()), .threads = 1, .statement_timeout = 60s});
    std::string const sent(std::size_t{8} << 20, 'x');
    // With many scopes, the result of `set_config` fills the buffers towards the client while `sent` fills
    // the buffers towards the server.
    auto const scopes = GENERATE(false, true) ? very_many_scopes() : pg::Scopes();
    auto const is_sent = [&](auto const& rows) {
        return pg::read_rows(rows, &pg::RowReader::text) == std::vector{sent};
    };
    CHECK(database.transact_blocking(
        scopes, [&](pg::Tx& tx) { return is_sent(tx.run("SELECT $1::text", {sent})); }));
    auto const by_batch = [&]() -> boost::asio::awaitable<bool> {
        auto const connection = co_await database.batch_connection();
        co_return is_sent(co_await connection->run(scopes, "SELECT $1::text", {sent}));
    };
    CHECK(testing::run_awaitable(by_batch()));
}

TEST_CASE_METHOD(Fixture, "a result in TLS records of 16 KiB is read to its end")
{
    pg::Database database(
        {.url = url("pg.test", certificates.authority()), .threads = 1, .statement_timeout = 2s});
    auto const by_transaction = [&](int size) {
        return database.transact_blocking(
            {}, [&](pg::Tx& tx) { return total(tx.run(many_bytes, {size, rows})); });
    };
    auto const by_batch = [&](int size) -> boost::asio::awaitable<std::size_t> {
        auto const connection = co_await database.batch_connection();
        co_return total(co_await connection->run({}, many_bytes, {size, rows}));
    };
    int failed = 0;
    for (int size = smallest; size < largest; size += step) {
        auto const expected = static_cast<std::size_t>(size * rows);
        std::size_t received = 0;
        std::string const code =
            error_code_of([&] { received = by_transaction(size) + testing::run_awaitable(by_batch(size)); });
        if (!code.empty() || received != 2 * expected) ++failed;
    }
    CHECK(failed == 0);
}

TEST_CASE_METHOD(Fixture, "notifications in TLS records of 16 KiB are received, and the heartbeat continues")
{
    std::atomic<int> heard = 0, gaps = 0;
    pg::Listener const listener(url("pg.test", certificates.authority()),
        {{"news", [&](std::string const&) { ++heard; }}}, [&] { ++gaps; });
    REQUIRE(testing::eventually([&] { return listener.live(); }));
    int sent = 0;
    for (int size = 5000; size < 8000; size += 500, sent += 5)
        postgres.query("SELECT pg_notify('news', n || repeat('x', " + std::to_string(size) +
                       ")) FROM generate_series(1, 5) n");
    CHECK(testing::eventually([&] { return heard == sent; }));
    CHECK(testing::eventually([&] { return listener.live(); }));
    CHECK(gaps == 1);
}

TEST_CASE_METHOD(Fixture, "sslmode=verify-full requires the right server name and authority")
{
    auto const write = [](std::string const& to) {
        pg::Database database({.url = to, .threads = 1});
        return error_code_of([&] {
            database.transact_blocking(core::ScopeId{2},
                [](pg::Tx& tx) { insert_note(tx, core::ScopeId{2}, core::Uuid::v7(), "x"); });
        });
    };
    Certificates const others("pg.test");
    CHECK(write(url("pg.test", certificates.authority())).empty());
    CHECK(write(url("elsewhere.test", certificates.authority())) == "UNAVAILABLE");
    CHECK(write(url("pg.test", others.authority())) == "UNAVAILABLE");
    CHECK(postgres.query("SELECT count(*) FROM notes") == "1");
}
