#include "certificates.hpp"
#include "pg/listener.hpp"
#include "pg/row.hpp"
#include "proxy.hpp"
#include "schema.hpp"
#include "testing/eventually.hpp"
#include "testing/run_awaitable.hpp"

#include <catch2/catch.hpp>

#include <atomic>

using namespace std::chrono_literals;

namespace {

/// A PostgreSQL behind TLS, under the name `pg.test`, in records of 16 KiB.
struct Fixture {
    /// A connection string; `name` is the name that the client asks for, `authority` the one that it trusts.
    std::string url(std::string const& name, std::string const& authority) const
    {
        return "host=" + name + " hostaddr=127.0.0.1 port=" + std::to_string(proxy.port()) +
               " sslmode=verify-full sslrootcert=" + authority + " user=" + postgres.service_role() +
               " dbname=" + postgres.database();
    }

    testing::Postgres postgres = notes_database();
    Certificates certificates{"pg.test"};
    Proxy proxy{postgres.port(), certificates.server()};
};

/// `rows` rows of `size` bytes each.
constexpr std::string_view many_bytes = "SELECT repeat('x', $1::int) FROM generate_series(1, $2::int)";
constexpr int rows = 7;
/// Sizes that leave from nothing to most of a row at the end of a record.
constexpr int smallest = 3000, largest = 5000, step = 61;

std::size_t total(auto const& result)
{
    std::size_t sum = 0;
    for (auto const& text : pg::read_rows(result, &pg::RowReader::text))
        sum += text.size();
    return sum;
}

} // namespace

TEST_CASE_METHOD(Fixture, "a result in TLS records of 16 KiB is read to its end")
{
    pg::Database database(
        {.url = url("pg.test", certificates.authority()), .threads = 1, .statement_timeout = 2s});
    auto const by_transaction = [&](int size) {
        return database.transact_blocking(
            {}, [&](pg::Tx& tx) { return total(tx.run(many_bytes, {size, rows})); });
    };
    auto const by_batch = [&](int size) -> boost::asio::awaitable<std::size_t> {
        auto const session = co_await database.session();
        co_return total(co_await session->run({}, many_bytes, {size, rows}));
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

TEST_CASE_METHOD(Fixture, "notifications in TLS records of 16 KiB are heard, and the heartbeat goes on")
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

TEST_CASE_METHOD(Fixture, "with sslmode=verify-full the server's name and authority have to be right")
{
    auto const write = [](std::string const& to) {
        pg::Database database({.url = to, .threads = 1});
        return error_code_of([&] {
            database.transact_blocking(2, [](pg::Tx& tx) { insert_note(tx, 2, core::Uuid::v7(), "x"); });
        });
    };
    Certificates const others("pg.test");
    CHECK(write(url("pg.test", certificates.authority())).empty());
    CHECK(write(url("elsewhere.test", certificates.authority())) == "UNAVAILABLE");
    CHECK(write(url("pg.test", others.authority())) == "UNAVAILABLE");
    CHECK(postgres.query("SELECT count(*) FROM notes") == "1");
}
