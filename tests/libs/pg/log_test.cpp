#include "pg/database.hpp"
#include "schema.hpp"
#include "server_settings.hpp"
#include "support/pgbouncer.hpp"
#include "support/run_awaitable.hpp"

#include <catch2/catch.hpp>
#include <pqxx/connection>
#include <pqxx/transaction>

#include <functional>

// PostgreSQL logs the text of a statement that fails, waits or takes long. That text must not contain values
// from callers.

using namespace std::chrono_literals;

namespace {

constexpr core::ScopeId scope{2};

/// The prefix of planted values.
std::string const mark = "planted-";

/// Reads everything that the server logs, with the settings that docs/operations/data.md recommends.
struct Fixture {
    explicit Fixture(std::string const& verbosity)
        : settings(postgres, {{"log_error_verbosity", verbosity}, {"log_parameter_max_length", "0"},
                                 {"log_min_duration_statement", "0"}, {"log_lock_waits", "on"},
                                 {"deadlock_timeout", "50ms"}})
    {
    }

    /// Returns the log since the last call.
    std::string new_log()
    {
        std::string const all = postgres.log();
        std::string added = all.substr(read);
        read = all.size();
        return added;
    }

    testing::Postgres postgres = notes_database();
    std::size_t read = 0;
    ServerSettings settings;
};

using Way = std::function<void(std::string const& sql, std::vector<pg::Param> const& params)>;

Way transaction(pg::Database& database)
{
    return [&](std::string const& sql, auto const& params) {
        database.transact_blocking(scope, [&](pg::Tx& tx) {
            tx.run("SELECT 1"); // so that the other statement does not open the transaction
            tx.run(sql, params);
        });
    };
}

Way first_statement(pg::Database& database)
{
    return [&](std::string const& sql, auto const& params) {
        database.transact_blocking(scope, [&](pg::Tx& tx) { tx.run(sql, params); });
    };
}

Way reading(pg::Database& database)
{
    return [&](std::string const& sql, auto const& params) {
        testing::run_awaitable(database.read(scope, [&](pg::Tx& tx) { tx.run(sql, params); }));
    };
}

Way batch(pg::Database& database, bool serialised)
{
    return [&, serialised](std::string const& sql, auto const& params) {
        testing::run_awaitable([&]() -> boost::asio::awaitable<void> {
            auto const connection = co_await database.batch_connection();
            if (serialised)
                co_await connection->run_with_scope_locks(scope, sql, params);
            else
                co_await connection->run(scope, sql, params);
        }());
    };
}

/// Holds an advisory lock for which statements wait.
class HeldLock {
public:
    explicit HeldLock(testing::Postgres const& postgres)
        : connection_(postgres.superuser_url()), transaction_(connection_)
    {
        transaction_.exec("SELECT pg_advisory_xact_lock(77)");
    }

private:
    pqxx::connection connection_;
    pqxx::work transaction_;
};

std::size_t count(std::string const& text, std::string const& part)
{
    std::size_t found = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
        ++found;
    return found;
}

/// Runs each statement with a planted value, in every way in which this library runs statements. Each
/// statement must fail and be logged without the value.
void check_log(Fixture& f, std::map<std::string, std::string> const& statements, bool writing)
{
    testing::PgBouncer const pooler(f.postgres, 3);
    pg::Database direct({.url = f.postgres.service_url(), .threads = 1, .statement_timeout = 300ms});
    pg::Database pooled(
        {.url = pooler.service_url(), .threads = 1, .transaction_pooling = true, .statement_timeout = 300ms});
    std::map<std::string, Way> ways{{"transact", transaction(direct)}, {"first", first_statement(direct)},
        {"batch", batch(direct, false)}, {"serialised", batch(direct, true)},
        {"pooled transact", transaction(pooled)}, {"pooled first", first_statement(pooled)},
        {"pooled batch", batch(pooled, false)}};
    if (!writing) {
        ways.emplace("read", reading(direct));
        ways.emplace("pooled read", reading(pooled));
    }
    for (auto const& [way, run] : ways) {
        for (auto const& [sql, logged] : statements) {
            f.new_log();
            std::string const value = mark + "ada@example.com";
            CHECK_THROWS(run(sql, {value}));
            std::string const log = f.new_log();
            INFO(way << ": " << sql << "\n" << log);
            CHECK(count(log, logged) > 0);
            CHECK(count(log, mark) == 0);
        }
    }
}

} // namespace

TEST_CASE("the server's log contains no values of statements that fail, wait or take too long")
{
    Fixture f("default");
    HeldLock const lock(f.postgres);
    check_log(f,
        {{"SELECT fail_with('22000'), $1::text", "ERROR:  as asked"},
            {"SELECT $1::text || $1 || (1 / (length($1) - length($1)))::text", "ERROR:  division by zero"},
            {"SELEKT $1::text", "ERROR:  syntax error"},
            {"SELECT pg_sleep(30), $1::text", "ERROR:  canceling statement due to statement timeout"},
            {"SELECT pg_advisory_xact_lock(77), $1::text", "LOG:  process "}},
        false);
}

TEST_CASE("the log of a correctly configured server contains no values of rows that violate a constraint")
{
    Fixture f("terse");
    f.postgres.query(
        "CREATE UNIQUE INDEX ON notes (body); INSERT INTO notes VALUES (2, gen_random_uuid(), '" + mark +
        "ada@example.com')");
    check_log(f,
        {{"INSERT INTO notes (scope_id, id, body) VALUES (2, gen_random_uuid(), $1)",
             "ERROR:  duplicate key value violates unique constraint"},
            {"INSERT INTO notes (scope_id, id, body) VALUES (2, NULL, $1)", "ERROR:  null value in column"},
            {"INSERT INTO notes (scope_id, id, body) VALUES (4, gen_random_uuid(), $1)",
                "ERROR:  new row violates row-level security"}},
        true);
}

TEST_CASE("a log of all statements contains no values of statements that succeed")
{
    Fixture f("default");
    pg::Database database({.url = f.postgres.service_url(), .threads = 1});
    f.new_log();
    transaction(database)("SELECT $1::text", {mark});
    batch(database, false)("SELECT $1::text", {mark});
    std::string const log = f.new_log();
    INFO(log);
    CHECK(count(log, "duration: ") > 0);
    CHECK(count(log, mark) == 0);
}
