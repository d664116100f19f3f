#include "pg/database.hpp"
#include "pg/row.hpp"
#include "schema.hpp"
#include "support/eventually.hpp"
#include "support/pgbouncer.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <pqxx/connection>
#include <pqxx/except>
#include <pqxx/transaction>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

// A Database behind a real PgBouncer in transaction mode, with more connections than the pooler has sessions:
// each transaction runs on any free session.

using namespace std::chrono_literals;

namespace {

constexpr core::ScopeId scope{14};
constexpr unsigned sessions = 2;

struct Fixture {
    testing::Postgres postgres = notes_database();
    testing::PgBouncer pooler{postgres, sessions};
    pg::Database database{
        {.url = pooler.service_url(), .threads = 4 * sessions, .transaction_pooling = true}};

    /// Returns the first value of `sql` in a transaction of that scope.
    std::string value(std::string const& sql, pg::Scopes const& scopes = scope)
    {
        return database.transact_blocking(
            scopes, [&](pg::Tx& tx) { return pg::RowReader(tx.run(sql).front()).text(); });
    }

    void insert(std::string const& body, core::Uuid id = core::Uuid::v7())
    {
        database.transact_blocking(scope, [&](pg::Tx& tx) { insert_note(tx, scope, id, body); });
    }
};

/// Runs `work(number)` on several threads at once.
template <class Work> void at_once(int count, Work work)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
        threads.emplace_back([&work, i] { work(i); });
    for (auto& thread : threads)
        thread.join();
}

} // namespace

TEST_CASE("transactions of many threads share a pooler's few sessions", "[pooler]")
{
    Fixture f;
    constexpr int threads = 16, each = 20;
    std::atomic<int> failed = 0;
    at_once(threads, [&](int) {
        for (int i = 0; i < each; ++i) {
            try {
                f.database.transact_blocking(scope, [&](pg::Tx& tx) {
                    auto const before = count_notes(tx);
                    insert_note(tx, scope, core::Uuid::v7(), "one");
                    insert_note(tx, scope, core::Uuid::v7(), "two");
                    if (count_notes(tx) < before + 2) ++failed;
                });
            } catch (std::exception const&) {
                ++failed;
            }
        }
    });
    CHECK(failed == 0);
    CHECK(f.postgres.query("SELECT count(*) FROM notes") == std::to_string(2 * threads * each));
    CHECK(std::stoul(f.postgres.query("SELECT count(*) FROM pg_stat_activity WHERE datname = '" +
                                      f.postgres.database() + "' AND usename = '" +
                                      f.postgres.service_role() + "'")) <= sessions);
}

TEST_CASE("values of every type pass through a pooler unchanged", "[pooler]")
{
    Fixture f;
    auto const echoed = [&](std::string const& type, pg::Param const& param) {
        return f.database.transact_blocking({}, [&](pg::Tx& tx) {
            auto const rows = tx.run("SELECT $1::" + type, {param});
            return pg::RowReader(rows.front()).optional_text().value_or("NULL");
        });
    };
    CHECK(echoed("text", nullptr) == "NULL");
    CHECK(echoed("text", "") == "");
    CHECK(echoed("text", "it's \"quoted\" \\ $1; SELECT 2\n\xc3\xa9") ==
          "it's \"quoted\" \\ $1; SELECT 2\n\xc3\xa9");
    CHECK(echoed("bigint", std::int64_t{-9'007'199'254'740'993}) == "-9007199254740993");
    CHECK(echoed("boolean", true) == "t");
    CHECK(echoed("bigint[]", std::vector<std::int64_t>{1, 2}) == "{1,2}");
    CHECK(echoed("text[]", std::vector<std::string>{"a", "b,c"}) == "{a,\"b,c\"}");
    CHECK_THROWS_AS(echoed("text", std::string("a\0b", 3)), std::invalid_argument);
}

TEST_CASE(
    "settings belong to a transaction, and the next client of the session does not get them", "[pooler]")
{
    Fixture f;
    pg::Database strict(
        {.url = f.pooler.service_url(), .threads = 1, .transaction_pooling = true, .statement_timeout = 7s});
    for (int i = 0; i < 10; ++i) {
        CHECK(f.value("SHOW statement_timeout") == "10s");
        CHECK(f.value("SHOW idle_in_transaction_session_timeout") == "10s");
        CHECK(f.value("SHOW TimeZone") == "UTC");
        CHECK(f.value("SELECT current_setting('app.scopes')") == core::to_string(scope));
        CHECK(f.value("SELECT current_setting('app.scopes')", {}).empty());
        strict.transact_blocking({}, [](pg::Tx& tx) {
            CHECK(pg::RowReader(tx.run("SHOW statement_timeout").front()).text() == "7s");
        });
    }
    // These clients set nothing. Together they occupy both sessions.
    static_assert(sessions == 2);
    pqxx::connection one(f.pooler.service_url()), two(f.pooler.service_url());
    pqxx::work first(one), second(two);
    CHECK(first.exec1("SELECT pg_backend_pid()")[0].as<int>() !=
          second.exec1("SELECT pg_backend_pid()")[0].as<int>());
    for (auto* client : {&first, &second}) {
        CHECK(client->exec1("SHOW statement_timeout")[0].as<std::string>() == "0");
        CHECK(client->exec1("SELECT coalesce(current_setting('app.scopes', true), '')")[0]
                .as<std::string>()
                .empty());
        CHECK(client->exec1("SELECT count(*) FROM notes")[0].as<int>() == 0);
    }
}

TEST_CASE("a pooled transaction sees only rows of its scope, and can roll back", "[pooler]")
{
    Fixture f;
    f.insert("mine");
    CHECK(f.value("SELECT count(*) FROM notes") == "1");
    CHECK(f.value("SELECT count(*) FROM notes", core::ScopeId{15}) == "0");
    CHECK(f.value("SELECT count(*) FROM notes", {}) == "0");

    auto const id = core::Uuid::v7();
    f.insert("first", id);
    CHECK_THROWS_AS(f.insert("again", id), pqxx::unique_violation);
    CHECK_THROWS_AS(f.insert("forbidden"), pqxx::check_violation);
    CHECK_THROWS_AS(f.database.transact_blocking(scope,
                        [&](pg::Tx& tx) {
                            insert_note(tx, scope, core::Uuid::v7(), "not kept");
                            throw std::runtime_error("no");
                        }),
        std::runtime_error);
    CHECK(f.value("SELECT count(*) FROM notes") == "2");

    auto const fail = [&](char const* state) {
        return error_code_of([&] {
            f.database.transact_blocking({}, [&](pg::Tx& tx) { tx.run("SELECT fail_with($1)", {state}); });
        });
    };
    CHECK(fail("57014") == "UNAVAILABLE");
    CHECK(fail("40001") == "UNAVAILABLE"); // each retry failed in the same way
    CHECK_THROWS_AS(fail("22000"), pqxx::sql_error);
    CHECK_THROWS_AS(
        f.database.transact_blocking({}, [](pg::Tx& tx) { tx.run("SELECT nonsense"); }), pqxx::sql_error);
    CHECK(f.value("SELECT count(*) FROM notes") == "2");
}

TEST_CASE("a statement that takes too long is also cancelled behind a pooler", "[pooler]")
{
    Fixture f;
    pg::Database hasty({.url = f.pooler.service_url(),
        .threads = 1,
        .transaction_pooling = true,
        .statement_timeout = 50ms});
    CHECK(error_code_of([&] {
        hasty.transact_blocking({}, [](pg::Tx& tx) { tx.run("SELECT pg_sleep(3600)"); });
    }) == "UNAVAILABLE");
    CHECK(f.value("SELECT 1") == "1");
}

TEST_CASE("batches pass through a pooler, each in one transaction", "[pooler]")
{
    Fixture f;
    using Insert = pg::Batcher<core::Uuid, std::string>;
    Insert insert(f.database,
        [](pg::BatchConnection& connection, std::span<core::Uuid const> ids) -> pg::Batch<std::string> {
            std::vector<std::string> texts;
            for (auto const& id : ids)
                texts.push_back(id.to_string());
            pg::Param const params[] = {scope, texts};
            auto const rows = co_await connection.run_with_scope_locks(scope,
                R"(
                INSERT INTO notes (scope_id, id, body)
                SELECT $1::bigint, i, 'batch'
                FROM unnest($2::uuid[]) i
                WHERE $1 = ANY (string_to_array(current_setting('app.scopes'), ',')::bigint[])
                RETURNING id)",
                params);
            std::vector<std::string> out;
            for (pg::Row const row : rows)
                out.push_back(pg::RowReader(row).uuid().to_string());
            std::ranges::sort(out);
            std::vector<std::string> answers;
            for (auto const& text : texts)
                answers.push_back(std::ranges::binary_search(out, text) ? text : "missing");
            co_return answers;
        });
    constexpr int threads = 3, each = 200;
    std::atomic<int> right = 0;
    at_once(threads, [&](int) {
        boost::asio::io_context ioc(1);
        for (int i = 0; i < each; ++i) {
            auto const id = core::Uuid::v7();
            boost::asio::co_spawn(
                ioc, insert.run(id), [&right, id](std::exception_ptr failed, std::string answer) {
                    if (!failed && answer == id.to_string()) ++right;
                });
        }
        ioc.run();
    });
    CHECK(right == threads * each);
    CHECK(f.postgres.query("SELECT count(*) FROM notes WHERE body = 'batch'") ==
          std::to_string(threads * each));
    CHECK(f.postgres.query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == "0");
}

TEST_CASE("a server that restarts behind a pooler is used again", "[pooler]")
{
    Fixture f;
    f.insert("before");
    f.postgres.restart();
    CHECK(testing::eventually([&] { return error_code_of([&] { f.insert("after"); }).empty(); }));
    CHECK(f.value("SELECT count(*) FROM notes") == "2");
}

TEST_CASE(
    "without `transaction_pooling` a pooler refuses connections, and the reason is reported", "[pooler]")
{
    Fixture f;
    std::mutex mutex;
    std::string events;
    pg::Database database({.url = f.pooler.service_url(), .report = [&](std::string const& event) {
                               std::lock_guard const lock(mutex);
                               events += event;
                           }});
    CHECK(error_code_of([&] { database.transact_blocking({}, [](pg::Tx& tx) { tx.run("SELECT 1"); }); }) ==
          "UNAVAILABLE");
    std::lock_guard const lock(mutex);
    CHECK(events.find("unsupported startup parameter") != std::string::npos);
}
