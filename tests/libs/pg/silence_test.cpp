#include "pg/async_connection.hpp"
#include "pg/batcher.hpp"
#include "pg/listener.hpp"
#include "schema.hpp"
#include "support/eventually.hpp"
#include "support/pgbouncer.hpp"
#include "support/run_awaitable.hpp"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <pqxx/except>

#include <atomic>
#include <future>
#include <mutex>
#include <vector>

// A server that hangs keeps its connections open and sends no data. The heartbeat detects such a server.

using namespace std::chrono_literals;

namespace {

/// Ends the server's silence at the end of the test, because other tests use the same server.
struct Fixture {
    ~Fixture() { postgres.resume(); }

    testing::Postgres postgres = notes_database();
};

std::string write(pg::Database& database)
{
    return error_code_of([&] {
        database.transact_blocking(
            core::ScopeId{2}, [](pg::Tx& tx) { insert_note(tx, core::ScopeId{2}, core::Uuid::v7(), "x"); });
    });
}

pg::Batch<int> one(pg::BatchConnection& connection, std::span<int const> inputs)
{
    co_await connection.run({}, "SELECT 1", {});
    co_return std::vector<int>(inputs.size(), 1);
}

std::string batch(pg::Database& database)
{
    return error_code_of([&] {
        pg::Batcher<int, int> batcher(database, one);
        testing::run_awaitable(batcher.run(1));
    });
}

/// The handlers of a listener that informs the Database, as in a service.
pg::ListenerHandlers telling(pg::Database& database)
{
    return {.on_silence = [&](bool silent) { database.set_silent(silent); }};
}

} // namespace

TEST_CASE_METHOD(
    Fixture, "when the server becomes silent, waiting calls fail soon and new calls fail at once")
{
    bool const pooled = GENERATE(false, true);
    testing::PgBouncer const pooler(postgres, 8);
    // No other limit ends a wait within the test.
    pg::Database database({.url = pooled ? pooler.service_url() : postgres.service_url(),
        .threads = 2,
        .transaction_pooling = pooled,
        .queue_timeout = 1h,
        .statement_timeout = 1h});
    pg::Listener const listener(postgres.service_url(), telling(database));
    REQUIRE(testing::eventually([&] { return listener.live() && database.healthy(); }));
    REQUIRE(write(database).empty());
    REQUIRE(batch(database).empty());
    postgres.pause();
    std::vector<std::future<std::string>> callers;
    for (int i = 0; i < 6; ++i) { // more calls than threads
        callers.push_back(std::async(std::launch::async, [&] { return write(database); }));
        callers.push_back(std::async(std::launch::async, [&] { return batch(database); }));
    }
    for (auto& caller : callers)
        CHECK(caller.get() == "UNAVAILABLE");
    CHECK_FALSE(database.healthy());
    CHECK(write(database) == "UNAVAILABLE");
    CHECK(batch(database) == "UNAVAILABLE");
    postgres.resume();
    CHECK(testing::eventually([&] { return database.healthy(); }));
    CHECK(testing::eventually([&] { return write(database).empty(); }));
    CHECK(testing::eventually([&] { return batch(database).empty(); }));
}

TEST_CASE_METHOD(Fixture, "a server is used again even after a silence that ended its connections")
{
    std::mutex mutex;
    std::vector<bool> told;
    std::atomic<int> gaps = 0;
    auto const said = [&] {
        std::lock_guard const lock(mutex);
        return told;
    };
    pg::Listener const listener(postgres.service_url(), {.on_gap = [&] { ++gaps; },
                                                            .on_silence =
                                                                [&](bool silent) {
                                                                    std::lock_guard const lock(mutex);
                                                                    told.push_back(silent);
                                                                }});
    REQUIRE(testing::eventually([&] { return listener.live(); }));
    CHECK(said().empty());
    postgres.pause();
    REQUIRE(testing::eventually([&] { return said() == std::vector{true}; }));
    std::this_thread::sleep_for(4s); // long enough for attempts to reconnect
    CHECK(said() == std::vector{true});
    postgres.resume();
    CHECK(testing::eventually([&] { return listener.live(); }));
    CHECK(said() == std::vector{true, false});
    CHECK(gaps == 2);
}

TEST_CASE_METHOD(
    Fixture, "stopping a listener ends a reported silence, and the listener reports nothing more")
{
    pg::Database database({.url = postgres.service_url(), .threads = 2});
    std::mutex mutex;
    std::vector<bool> told;
    auto const said = [&] {
        std::lock_guard const lock(mutex);
        return told;
    };
    auto const tell = [&](bool silent) {
        database.set_silent(silent);
        std::lock_guard const lock(mutex);
        told.push_back(silent);
    };
    pg::Listener listener(postgres.service_url(), {.on_silence = tell});
    REQUIRE(testing::eventually([&] { return listener.live() && database.healthy(); }));
    postgres.pause();
    REQUIRE(testing::eventually([&] { return said() == std::vector{true}; }));
    listener.stop();
    CHECK(said() == std::vector{true, false});
    // No listener could report that the server responds again.
    postgres.resume();
    CHECK(testing::eventually([&] { return write(database).empty(); }));
    CHECK(said() == std::vector{true, false});
}

TEST_CASE_METHOD(Fixture, "a server that restarts does not count as silent")
{
    std::atomic<int> told = 0;
    pg::Listener const listener(postgres.service_url(), {.on_silence = [&](bool) { ++told; }});
    REQUIRE(testing::eventually([&] { return listener.live(); }));
    postgres.stop();
    REQUIRE(testing::eventually([&] { return !listener.live(); }));
    postgres.start();
    REQUIRE(testing::eventually([&] { return listener.live(); }));
    CHECK(told == 0);
}

TEST_CASE_METHOD(Fixture, "a message of several statements may take longer than the silence limit")
{
    std::atomic<bool> const silent = false;
    boost::asio::io_context ioc(1);
    pg::AsyncConnection connection(ioc.get_executor(), pg::connect(postgres.service_url()),
        {.silence_limit = 2s, .server_silent = silent});
    std::vector<pg::Statement> const statements(4, {"SELECT pg_sleep(0.6)", {}, true});
    CHECK(testing::run_awaitable(ioc, connection.run(statements)).size() == 4);
    CHECK_FALSE(connection.lost());

    SECTION("each result restarts the limit, and without a result the connection is lost")
    {
        pg::Statement const statement{"SELECT pg_sleep(60)"};
        CHECK_THROWS_AS(
            testing::run_awaitable(ioc, connection.run({&statement, 1})), pqxx::broken_connection);
        CHECK(connection.lost());
    }
}
