#include "pg/database.hpp"
#include "pg/row.hpp"
#include "schema.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/run_awaitable.hpp"

#include <pqxx/except>

#include <atomic>
#include <latch>
#include <thread>

using namespace std::chrono_literals;

namespace {

struct Fixture {
    testing::Postgres postgres = notes_database();
    pg::Database database{{.url = postgres.service_url(), .threads = 4}}; // at most two for one scope

    std::string stored() { return postgres.query("SELECT count(*) FROM notes"); }
};

} // namespace

static void fail_with(pg::Tx& tx, std::string const& code)
{
    tx.run("SELECT fail_with($1)", {code});
}

TEST_CASE_METHOD(Fixture, "a transaction commits and returns the result of its work")
{
    core::Uuid const id = core::Uuid::v7();
    auto const inserted = testing::run_awaitable(database.transact(core::ScopeId{2}, [&](pg::Tx& tx) {
        insert_note(tx, core::ScopeId{2}, id, "first");
        return pg::RowReader(tx.run("SELECT body FROM notes WHERE id = $1", {id})[0]).text();
    }));
    CHECK(inserted == "first");
    CHECK(postgres.query("SELECT body FROM notes") == "first");
}

TEST_CASE_METHOD(Fixture, "an exception of the work rolls back and is rethrown unchanged")
{
    struct Unusual {
        int value;
    };

    auto const failing = [&](pg::Tx& tx) {
        insert_note(tx, core::ScopeId{2}, core::Uuid::v7(), "lost");
        throw Unusual{7};
    };
    CHECK_THROWS_AS(testing::run_awaitable(database.transact(core::ScopeId{2}, failing)), Unusual);
    CHECK_THROWS_AS(database.transact_blocking(core::ScopeId{2}, failing), Unusual);
    CHECK(stored() == "0");
}

TEST_CASE_METHOD(Fixture, "the caller gets a constraint violation as its own exception type")
{
    core::Uuid const id = core::Uuid::v7();
    auto const insert = [&](pg::Tx& tx) { insert_note(tx, core::ScopeId{2}, id, "x"); };
    database.transact_blocking(core::ScopeId{2}, insert);
    CHECK_THROWS_AS(database.transact_blocking(core::ScopeId{2}, insert), pqxx::unique_violation);
    CHECK_THROWS_AS(
        database.transact_blocking(core::ScopeId{2}, [](pg::Tx& tx) { tx.run("SELECT no_such_column"); }),
        pqxx::undefined_column);
    CHECK(stored() == "1");
}

TEST_CASE_METHOD(Fixture, "a transaction is not reported as committed if the work has caught a failure")
{
    core::Uuid const id = core::Uuid::v7();
    auto const careless = [&](pg::Tx& tx) {
        insert_note(tx, core::ScopeId{2}, id, "x");
        try {
            insert_note(tx, core::ScopeId{2}, id, "again");
        } catch (pqxx::unique_violation const&) {
        }
        return true;
    };
    CHECK_THROWS_AS(database.transact_blocking(core::ScopeId{2}, careless), pqxx::unique_violation);
    CHECK(stored() == "0");
}

TEST_CASE_METHOD(Fixture, "a serialization failure or deadlock runs the work again")
{
    std::string const code = GENERATE("40001", "40P01");
    int runs = 0;
    auto const result = testing::run_awaitable(database.transact(core::ScopeId{2}, [&](pg::Tx& tx) {
        insert_note(tx, core::ScopeId{2}, core::Uuid::v7(), "run " + std::to_string(++runs));
        if (runs < 3) fail_with(tx, code);
        return runs;
    }));
    CHECK(result == 3);
    CHECK(stored() == "1");
}

TEST_CASE_METHOD(Fixture, "work is retried three times, and then the caller gets UNAVAILABLE")
{
    int runs = 0;
    CHECK(error_code_of([&] {
        database.transact_blocking({}, [&](pg::Tx& tx) {
            ++runs;
            fail_with(tx, "40001");
        });
    }) == "UNAVAILABLE");
    CHECK(runs == 4);
}

TEST_CASE_METHOD(Fixture, "work that throws another exception after a serialization failure runs again too")
{
    int runs = 0;
    database.transact_blocking({}, [&](pg::Tx& tx) {
        try {
            if (++runs == 1) fail_with(tx, "40001");
        } catch (std::exception const&) {
            throw std::runtime_error("something failed");
        }
    });
    CHECK(runs == 2);
}

TEST_CASE("work runs again once if a migration has invalidated prepared statements")
{
    testing::Postgres const postgres = notes_database();
    std::vector<std::string> events;
    pg::Database database({.url = postgres.service_url(),
        .threads = 1,
        .report = [&](std::string const& event) { events.push_back(event); }});
    database.transact_blocking(
        core::ScopeId{2}, [](pg::Tx& tx) { insert_note(tx, core::ScopeId{2}, core::Uuid::v7(), "kept"); });
    int runs = 0;
    // There are more outdated statements than retries, so one retry must be enough for all of them.
    auto const read = [&](pg::Tx& tx) {
        ++runs;
        insert_note(tx, core::ScopeId{2}, core::Uuid::v7(), "written once");
        for (int i = 0; i < 10; ++i)
            tx.run("SELECT body FROM notes WHERE scope_id = $1 ORDER BY " + std::to_string(i) + " + 0", {2});
    };
    database.transact_blocking(core::ScopeId{2}, read);
    postgres.query("DROP TRIGGER die ON notes; ALTER TABLE notes ALTER COLUMN body TYPE varchar(1000)");
    database.transact_blocking(core::ScopeId{2}, read);
    CHECK(runs == 3);
    CHECK(postgres.query("SELECT count(*) FROM notes WHERE body = 'written once'") == "2");
    CHECK(events.empty());
}

TEST_CASE_METHOD(Fixture, "two transactions that wait for each other both succeed")
{
    core::Uuid const a = core::Uuid::v7();
    core::Uuid const b = core::Uuid::v7();
    database.transact_blocking(core::ScopeId{2}, [&](pg::Tx& tx) {
        insert_note(tx, core::ScopeId{2}, a, "");
        insert_note(tx, core::ScopeId{2}, b, "");
    });
    std::latch both(2);
    auto const append = [&](core::Uuid first, core::Uuid second, std::string const& mark) {
        bool met = false;
        database.transact_blocking(core::ScopeId{2}, [&](pg::Tx& tx) {
            tx.run("UPDATE notes SET body = body || $2 WHERE id = $1", {first, mark});
            if (!std::exchange(met, true)) both.arrive_and_wait();
            tx.run("UPDATE notes SET body = body || $2 WHERE id = $1", {second, mark});
        });
    };
    std::thread other([&] { append(b, a, "2"); });
    append(a, b, "1");
    other.join();
    CHECK(postgres.query("SELECT count(*) FROM notes WHERE body IN ('12', '21')") == "2");
}

TEST_CASE_METHOD(Fixture, "a read uses one snapshot and cannot write")
{
    auto const counts = testing::run_awaitable(database.read(core::ScopeId{2}, [&](pg::Tx& tx) {
        auto const before = count_notes(tx);
        postgres.query("INSERT INTO notes (scope_id, id, body) VALUES (2, gen_random_uuid(), 'meanwhile')");
        return std::pair(before, count_notes(tx));
    }));
    CHECK(counts == std::pair<std::int64_t, std::int64_t>(0, 0));
    CHECK(stored() == "1");
    auto const write = [](pg::Tx& tx) { insert_note(tx, core::ScopeId{2}, core::Uuid::v7(), "x"); };
    CHECK_THROWS_AS(testing::run_awaitable(database.read(core::ScopeId{2}, write)), pqxx::sql_error);
    CHECK(stored() == "1");
}

TEST_CASE_METHOD(Fixture, "the caller is resumed on its own thread")
{
    auto const here = std::this_thread::get_id();
    std::thread::id there;
    testing::run_awaitable([&]() -> boost::asio::awaitable<void> {
        auto const work = [&](pg::Tx&) { there = std::this_thread::get_id(); };
        co_await database.transact({}, work);
        CHECK(std::this_thread::get_id() == here);
    }());
    CHECK(there != here);
    CHECK(there != std::thread::id());
}

TEST_CASE_METHOD(Fixture, "a transaction without a statement sends nothing to the server")
{
    REQUIRE(testing::eventually([&] { return database.healthy(); }));
    postgres.pause();
    auto const answer = database.transact_blocking(core::ScopeId{2}, [](pg::Tx&) { return 42; });
    postgres.resume();
    CHECK(answer == 42);
}

TEST_CASE("a statement that takes too long is cancelled and the connection is kept")
{
    auto const postgres = notes_database();
    pg::Database database({.url = postgres.service_url(), .threads = 1, .statement_timeout = 1s});
    auto const backend = [](pg::Tx& tx) {
        return pg::RowReader(tx.run("SELECT pg_backend_pid()")[0]).integer();
    };
    auto const before = database.transact_blocking({}, backend);
    CHECK(error_code_of([&] {
        database.transact_blocking({}, [](pg::Tx& tx) { tx.run("SELECT pg_sleep(30)"); });
    }) == "UNAVAILABLE");
    CHECK(database.transact_blocking({}, backend) == before);
}

TEST_CASE("more statements can be run than a connection keeps prepared")
{
    testing::Postgres const postgres("statements");
    pg::Database database({.url = postgres.owner_url(), .threads = 1});
    auto const sum = database.transact_blocking({}, [](pg::Tx& tx) {
        std::int64_t total = 0;
        for (int round = 0; round < 2; ++round) {
            for (int i = 0; i < 700; ++i)
                total += pg::RowReader(tx.run("SELECT $1::bigint * " + std::to_string(i), {1})[0]).integer();
        }
        return total;
    });
    CHECK(sum == 699 * 700);
    auto const count = [](pg::Tx& tx) {
        return pg::RowReader(tx.run("SELECT count(*) FROM pg_prepared_statements")[0]).integer();
    };
    // This prepares `count` and drops the oldest prepared statement.
    database.transact_blocking({}, count);
    auto const kept = database.transact_blocking({}, count);
    CHECK(kept == 512);
}

TEST_CASE_METHOD(Fixture, "a statement that cannot be prepared does not affect later statements")
{
    for (int i = 0; i < 2; ++i)
        CHECK_THROWS_AS(
            database.transact_blocking({}, [](pg::Tx& tx) { tx.run("SELEKT"); }), pqxx::syntax_error);
    CHECK(database.transact_blocking({}, [](pg::Tx& tx) { return count_notes(tx); }) == 0);
}

TEST_CASE_METHOD(Fixture, "statements other than queries can be run")
{
    database.transact_blocking(core::ScopeId{2}, [](pg::Tx& tx) {
        tx.run("LOCK TABLE notes IN SHARE ROW EXCLUSIVE MODE");
        tx.run("SAVEPOINT s");
        insert_note(tx, core::ScopeId{2}, core::Uuid::v7(), "x");
        tx.run("ROLLBACK TO SAVEPOINT s");
    });
    CHECK(stored() == "0");
}

TEST_CASE("connections have the session settings that the project relies on")
{
    testing::Postgres const postgres("settings");
    std::string const url =
        postgres.owner_url() + " application_name=mine options='-c statement_timeout=1234 -c work_mem=5MB'";
    pg::Database database({.url = url, .application_name = "tests"});
    auto const setting = [&](std::string const& name) {
        return database.transact_blocking({}, [&](pg::Tx& tx) {
            return pg::RowReader(tx.run("SELECT current_setting($1)", {name})[0]).text();
        });
    };
    CHECK(setting("TimeZone") == "UTC");
    CHECK(setting("DateStyle").starts_with("ISO"));
    CHECK(setting("client_encoding") == "UTF8");
    CHECK(setting("idle_in_transaction_session_timeout") == "10s");
    CHECK(setting("statement_timeout") == "1234ms"); // settings in the URL take precedence
    CHECK(setting("work_mem") == "5MB");
    CHECK(setting("application_name") == "mine");
    CHECK_THROWS_AS(pg::Database({.url = "host='unfinished"}), std::invalid_argument);
}

TEST_CASE("stopping finishes queued jobs and refuses later ones")
{
    auto const postgres = notes_database();
    pg::Database database({.url = postgres.service_url(), .threads = 1, .queue_timeout = 1h});
    std::atomic<bool> go = false;
    std::atomic<int> done = 0;
    std::vector<std::thread> callers;
    for (int i = 0; i < 20; ++i) {
        callers.emplace_back([&] {
            database.transact_blocking({}, [&](pg::Tx& tx) {
                go.wait(false);
                tx.run("SELECT 1");
            });
            ++done;
        });
    }
    // One job runs and 19 wait. Without a running job, one caller may not have queued its job yet.
    REQUIRE(testing::eventually([&] { return database.busy() == 1 && database.queued() == 19; }));
    std::thread stopper([&] { database.stop(); });
    go = true;
    go.notify_all();
    stopper.join();
    for (auto& caller : callers)
        caller.join();
    CHECK(done == 20);
    CHECK(error_code_of([&] { database.transact_blocking({}, [](pg::Tx&) {}); }) == "UNAVAILABLE");
    CHECK_FALSE(database.healthy());
}

TEST_CASE_METHOD(Fixture, "a thread is busy while it runs a job")
{
    CHECK(testing::eventually([this] { return database.busy() == 0; }));
    testing::Gate gate;
    std::thread caller(
        [&] { database.transact_blocking(core::ScopeId{2}, [&](pg::Tx&) { gate.pass_blocking(); }); });
    CHECK(testing::eventually([&] { return gate.arrived() == 1; }));
    CHECK(database.busy() == 1);
    gate.open();
    caller.join();
    CHECK(testing::eventually([this] { return database.busy() == 0; }));
}
