#include "closing_server.hpp"
#include "pg/database.hpp"
#include "pg/row.hpp"
#include "schema.hpp"
#include "support/eventually.hpp"
#include "support/process.hpp"
#include "support/run_awaitable.hpp"

#include <future>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

namespace {

/// Ends the server's outage at the end of the test, because other tests use the same server.
struct Fixture {
    ~Fixture()
    {
        postgres.resume();
        postgres.start();
    }

    testing::Postgres postgres = notes_database();
};

} // namespace

static bool connected(testing::Postgres const& postgres, unsigned connections)
{
    return testing::eventually([&] {
        return postgres.query("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tetrad'") ==
               std::to_string(connections);
    });
}

static std::string write(pg::Database& database, core::ScopeId scope_id = core::ScopeId{2})
{
    return error_code_of([&] {
        testing::run_awaitable(database.transact(
            scope_id, [&](pg::Tx& tx) { insert_note(tx, scope_id, core::Uuid::v7(), "x"); }));
    });
}

/// A scope of a different tenant for each number.
static core::ScopeId scope_of(std::size_t number)
{
    return core::ScopeId{2 + 2 * static_cast<std::int64_t>(number)};
}

static std::string sleep_on(pg::Database& database)
{
    return error_code_of(
        [&] { database.transact_blocking({}, [](pg::Tx& tx) { tx.run("SELECT pg_sleep(3600)"); }); });
}

static bool recovers(pg::Database& database)
{
    return testing::eventually([&] { return write(database).empty(); });
}

TEST_CASE("an unreachable server gives UNAVAILABLE at once, and the reason is reported once")
{
    std::mutex mutex;
    std::vector<std::string> events;
    ClosingServer const server;
    pg::Database database({.url = server.url(), .queue_timeout = 1h, .report = [&](std::string const& event) {
                               std::lock_guard const lock(mutex);
                               events.push_back(event);
                           }});
    for (int i = 0; i < 20; ++i)
        CHECK(write(database) == "UNAVAILABLE");
    CHECK_FALSE(database.healthy());
    auto const attempts = server.attempts();
    CHECK(testing::eventually([&] { return server.attempts() >= attempts + 8; }));
    std::lock_guard const lock(mutex);
    REQUIRE(events.size() == 1);
    CHECK(events[0].find("cannot connect") != std::string::npos);
}

TEST_CASE("UNAVAILABLE has a Retry-After")
{
    pg::Database database(
        {.url = "host=127.0.0.1 user=nobody dbname=none port=" + std::to_string(testing::free_port())});
    try {
        database.transact_blocking({}, [](pg::Tx&) {});
        FAIL("the call succeeded without a server");
    } catch (core::Error const& error) {
        REQUIRE(error.headers().size() == 1);
        CHECK(error.headers()[0].first == "Retry-After");
    }
}

TEST_CASE_METHOD(Fixture, "a database that was down is used again without a restart")
{
    bool const crash = GENERATE(false, true);
    pg::Database database({.url = GENERATE(true, false) ? postgres.service_url() : postgres.service_url_tcp(),
        .queue_timeout = 1h});
    REQUIRE(write(database).empty());
    CHECK(database.healthy());
    crash ? postgres.kill9() : postgres.stop();
    CHECK(testing::eventually([&] { return !database.healthy(); })); // the outage is detected without a call
    for (int i = 0; i < 50; ++i)
        CHECK(write(database) == "UNAVAILABLE");
    postgres.start();
    CHECK(testing::eventually([&] { return database.healthy(); }));
    CHECK(write(database).empty());
    CHECK(postgres.query("SELECT count(*) FROM notes") == "2");
}

TEST_CASE_METHOD(Fixture, "a running statement gives UNAVAILABLE when the server goes down")
{
    pg::Database database({.url = postgres.service_url(), .statement_timeout = 2h});
    std::string code;
    std::thread caller([&] { code = sleep_on(database); });
    REQUIRE(testing::eventually([&] {
        return postgres.query(R"(
            SELECT count(*)
            FROM pg_stat_activity
            WHERE query LIKE '%pg_sleep%' AND state = 'active' AND pid <> pg_backend_pid())") == "1";
    }));
    postgres.stop();
    caller.join();
    CHECK(code == "UNAVAILABLE");
    postgres.start();
    CHECK(recovers(database));
}

TEST_CASE_METHOD(Fixture, "an idle session that the server ended is replaced without an error")
{
    pg::Database database({.url = postgres.service_url(), .threads = 1});
    for (int i = 0; i < 3; ++i) {
        REQUIRE(write(database).empty());
        REQUIRE(postgres.query(R"(
            SELECT pg_terminate_backend(pid, 5000)
            FROM pg_stat_activity
            WHERE application_name = 'tetrad')") == "t");
    }
    CHECK(write(database).empty());
    CHECK(postgres.query("SELECT count(*) FROM notes") == "4");
}

TEST_CASE_METHOD(Fixture, "a commit with an unknown outcome gives UNAVAILABLE and does not run again")
{
    pg::Database database({.url = postgres.service_url()});
    int runs = 0;
    CHECK(error_code_of([&] {
        database.transact_blocking(core::ScopeId{2}, [&](pg::Tx& tx) {
            ++runs;
            insert_note(tx, core::ScopeId{2}, core::Uuid::v7(), "die at commit");
        });
    }) == "UNAVAILABLE");
    CHECK(runs == 1);
    CHECK(recovers(database));
}

TEST_CASE_METHOD(
    Fixture, "a lack of server resources gives UNAVAILABLE, and an error of the statement does not")
{
    pg::Database database({.url = postgres.service_url()});
    auto const failing = [&](std::string const& code) {
        return error_code_of([&] {
            database.transact_blocking({}, [&](pg::Tx& tx) { tx.run("SELECT fail_with($1)", {code}); });
        });
    };
    for (char const* code : {"53100", "53200", "53000", "57014", "58030"})
        CHECK(failing(code) == "UNAVAILABLE");
    CHECK_THROWS_AS(failing("23505"), std::exception);
    CHECK_THROWS_AS(failing("P0001"), std::exception);
    CHECK(write(database).empty());
}

TEST_CASE_METHOD(Fixture, "a silent server does not make callers wait forever")
{
    pg::Database database({.url = GENERATE(true, false) ? postgres.service_url() : postgres.service_url_tcp(),
        .threads = 2,
        .queue_timeout = 500ms,
        .statement_timeout = 1s});
    REQUIRE(connected(postgres, 2));
    postgres.pause();
    // Two calls use a connection, and the other calls are in the queue.
    std::vector<std::string> codes(6);
    std::vector<std::thread> callers;
    for (std::size_t i = 0; i < codes.size(); ++i)
        callers.emplace_back([&, i] { codes[i] = write(database, scope_of(i)); });
    for (auto& caller : callers)
        caller.join();
    for (auto const& code : codes)
        CHECK(code == "UNAVAILABLE");
    CHECK(testing::eventually([&] { return !database.healthy(); }));
    CHECK(write(database) == "UNAVAILABLE");
    postgres.resume();
    CHECK(recovers(database));
}

TEST_CASE_METHOD(Fixture, "a job that is not started in time is refused even if all threads are blocked")
{
    pg::Database database({.url = postgres.service_url(), .threads = 1, .queue_timeout = 300ms});
    std::promise<void> taken, released;
    auto holder = std::async(std::launch::async, [&] {
        database.transact_blocking({}, [&](pg::Tx&) {
            taken.set_value();
            released.get_future().wait();
        });
    });
    taken.get_future().wait();
    CHECK(write(database) == "UNAVAILABLE");
    CHECK(database.healthy());
    released.set_value();
    holder.get();
    CHECK(recovers(database));
}

TEST_CASE_METHOD(Fixture, "jobs beyond the limit of the queue are refused at once")
{
    pg::Database database({.url = postgres.service_url(),
        .threads = 1,
        .queue_limit = 3,
        .queue_timeout = 1h,
        .statement_timeout = 1h});
    REQUIRE(write(database).empty());
    postgres.pause();
    std::vector<std::future<std::string>> callers;
    for (std::size_t i = 0; i < 4; ++i) {
        callers.push_back(std::async(std::launch::async, [&, i] { return write(database, scope_of(i)); }));
        REQUIRE(testing::eventually([&] { return database.queued() == i; }));
    }
    CHECK(write(database, scope_of(4)) == "UNAVAILABLE");
    postgres.resume();
    for (auto& caller : callers)
        CHECK(caller.get().empty());
    CHECK(postgres.query("SELECT count(*) FROM notes") == "5");
}

TEST_CASE_METHOD(Fixture, "a database can be stopped while its server is silent or down")
{
    bool const away = GENERATE(true, false);
    pg::Database database(
        {.url = postgres.service_url(), .queue_timeout = 300ms, .statement_timeout = 500ms});
    REQUIRE(recovers(database));
    away ? postgres.stop() : postgres.pause();
    std::vector<std::string> codes(10);
    std::vector<std::thread> callers;
    for (auto& code : codes)
        callers.emplace_back([&] { code = write(database); });
    for (auto& caller : callers)
        caller.join();
    for (auto const& code : codes)
        CHECK(code == "UNAVAILABLE");
    database.stop();
    CHECK_FALSE(database.healthy());
}

TEST_CASE_METHOD(Fixture, "a database works with fewer connections than threads")
{
    postgres.query("ALTER ROLE notes_service CONNECTION LIMIT 1");
    {
        pg::Database database({.url = postgres.service_url(), .threads = 4});
        REQUIRE(recovers(database));
        for (int i = 0; i < 20; ++i)
            CHECK(write(database).empty());
    }
    postgres.query("ALTER ROLE notes_service CONNECTION LIMIT -1");
}
