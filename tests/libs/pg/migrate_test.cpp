#include "pg/database.hpp"
#include "pg/migrate.hpp"
#include "pg/row.hpp"
#include "schema.hpp"
#include "support/eventually.hpp"

#include <pqxx/connection>
#include <pqxx/except>
#include <pqxx/transaction>

#include <thread>

namespace {

struct Fixture {
    testing::Postgres postgres{"migrations"};
    pg::Component first{"first", {{"0001_a", "CREATE TABLE a (n int); GRANT SELECT ON a TO :service_role"},
                                     {"0002_b", "CREATE TABLE b (n int); INSERT INTO b VALUES (1)"}}};
    pg::Component second{"second", {{"0001_a", "CREATE TABLE c (n int)"}}};

    std::vector<std::string> migrate(std::vector<pg::Component const*> const& components)
    {
        return pg::migrate(postgres.owner_url(), components, postgres.service_role());
    }

    /// The message of the failure; "" if there is none.
    std::string failure(std::vector<pg::Component const*> const& components, std::string const& role)
    {
        try {
            pg::migrate(postgres.owner_url(), components, role);
        } catch (std::runtime_error const& error) {
            return error.what();
        }
        return "";
    }
};

using Names = std::vector<std::string>;

/// The line that declares an earlier checksum.
std::string declared(std::string const& checksum)
{
    return "-- Checksum before its comments were reworded: " + checksum + "\n";
}

} // namespace

TEST_CASE_METHOD(Fixture, "migrations are applied once and in order, for each component")
{
    std::vector<pg::Component const*> const both{&first, &second};
    CHECK(pg::pending(postgres.owner_url(), both) == Names{"first/0001_a", "first/0002_b", "second/0001_a"});
    CHECK(migrate({&first}) == Names{"first/0001_a", "first/0002_b"});
    CHECK(pg::pending(postgres.owner_url(), both) == Names{"second/0001_a"});
    CHECK(migrate(both) == Names{"second/0001_a"});
    CHECK(migrate(both).empty());
    CHECK(pg::pending(postgres.owner_url(), both).empty());
    CHECK(postgres.query("SELECT count(*) FROM b") == "1");
    CHECK(postgres.query(R"(
        SELECT string_agg(component || '/' || name, ' ' ORDER BY component, name)
        FROM schema_migrations)") == "first/0001_a first/0002_b second/0001_a");
}

TEST_CASE_METHOD(Fixture, "parallel runs wait for each other")
{
    first.migrations.push_back({"0003_slow", "SELECT pg_sleep(0.2); INSERT INTO b VALUES (2)"});
    std::vector<Names> applied(4);
    std::vector<std::thread> runs;
    for (auto& names : applied)
        runs.emplace_back([&] { names = migrate({&first}); });
    for (auto& run : runs)
        run.join();
    std::size_t total = 0;
    for (auto const& names : applied)
        total += names.size();
    CHECK(total == 3);
    CHECK(postgres.query("SELECT count(*) FROM b") == "2");
}

TEST_CASE_METHOD(Fixture, "a migration that waits for a lock does not block queries forever")
{
    migrate({&first});
    auto const is_waiting = [this] {
        return postgres.query(R"(
            SELECT count(*)
            FROM pg_stat_activity
            WHERE application_name = 'migrate' AND wait_event_type = 'Lock')") == "1";
    };
    pqxx::connection connection(postgres.superuser_url());
    pqxx::work reader(connection);
    reader.exec("SELECT * FROM a");
    first.migrations.push_back({"0003_more", "ALTER TABLE a ADD COLUMN more int"});
    Names applied;
    std::thread run([&] { applied = migrate({&first}); });
    bool const waits = testing::eventually(is_waiting);
    // The query waits behind the migration, which waits behind the reader.
    std::string const read = postgres.query("SET statement_timeout = '60s'; SELECT count(*) FROM a");
    reader.commit();
    run.join();
    CHECK(waits);
    CHECK(read == "0");
    CHECK(applied == Names{"first/0003_more"});
    CHECK(postgres.query("SELECT count(more) FROM a") == "0");
}

TEST_CASE_METHOD(Fixture, "a migration that changed after it was applied is an error")
{
    migrate({&first});
    first.migrations[0].sql = "CREATE TABLE a (n bigint)";
    CHECK(failure({&first}, postgres.service_role()).find("first/0001_a was changed") != std::string::npos);
    CHECK_THROWS_AS(
        pg::pending(postgres.owner_url(), std::vector<pg::Component const*>{&first}), std::runtime_error);
}

TEST_CASE_METHOD(Fixture, "a migration with reworded comments is accepted if it declares its former checksum")
{
    std::string const former = "-- Former words.\nCREATE TABLE d (n int);\n";
    first.migrations = {{"0001_d", former}};
    CHECK(migrate({&first}) == Names{"first/0001_d"});
    auto const stored = [this] { return postgres.query("SELECT checksum FROM schema_migrations"); };
    // As sha256sum prints it for a file with the former text.
    std::string const checksum = "eac4daeb218b4a0f00fe3553049c7d3682fabafb1aa305c59ea123e0ed38fcf6";
    CHECK(stored() == checksum);

    std::string const reworded = "-- New words.\n" + declared(checksum) + "CREATE TABLE d (n int);\n";
    std::string const reworded_twice = "-- Newest words.\n" + declared(std::string(64, '0')) +
                                       declared(checksum) + "-- More words.\nCREATE TABLE d (n int);\n";
    // During a rolling upgrade, programs with the former text run beside programs with the new one.
    for (auto const& text : {reworded, former, reworded_twice, former}) {
        CAPTURE(text);
        first.migrations[0].sql = text;
        CHECK(pg::pending(postgres.owner_url(), std::vector<pg::Component const*>{&first}).empty());
        CHECK(migrate({&first}).empty());
        CHECK(stored() == checksum);
    }
}

TEST_CASE_METHOD(Fixture, "a former checksum must be declared in a line of the comment at the start")
{
    std::string const table = "CREATE TABLE d (n int);\n";
    first.migrations = {{"0001_d", table}};
    migrate({&first});
    auto const checksum = postgres.query("SELECT checksum FROM schema_migrations");
    auto const line = declared(checksum);
    std::vector<std::string> const texts{
        declared(std::string(64, '0')) + table, // another checksum
        declared(checksum.substr(1)) + table,   // a digit is missing
        declared(checksum + "0") + table,       // a digit too many
        "-- It was " + line + table,            // words before it
        declared(checksum + " (2026)") + table, // words after it
        " " + line + table,                     // indented
        table + line,                           // after the statements
        "\n" + line + table,                    // after the comment at the start, which is empty
        table + "INSERT INTO d SELECT length('\n" + line + "');\n", // in a string
    };
    for (auto const& text : texts) {
        CAPTURE(text);
        first.migrations[0].sql = text;
        auto const message = failure({&first}, postgres.service_role());
        CHECK(message.find("first/0001_d was changed") != std::string::npos);
    }
}

TEST_CASE_METHOD(Fixture, "a failed migration leaves no changes, and the error names it")
{
    first.migrations.push_back({"0003_bad", "CREATE TABLE half (n int); SELECT 1/0"});
    std::string const message = failure({&first}, postgres.service_role());
    CHECK(message.find("first/0003_bad failed") != std::string::npos);
    CHECK(message.find("division by zero") != std::string::npos);
    CHECK(postgres.query("SELECT to_regclass('half') IS NULL") == "t");
    CHECK(pg::pending(postgres.owner_url(), std::vector<pg::Component const*>{&first}) ==
          Names{"first/0003_bad"});
    first.migrations[2].sql = "CREATE TABLE whole (n int)";
    CHECK(migrate({&first}) == Names{"first/0003_bad"});
}

TEST_CASE_METHOD(Fixture, "the service role is created with the granted privileges only")
{
    migrate({&first});
    CHECK(postgres.query("SELECT rolcanlogin FROM pg_roles WHERE rolname = 'migrations_service'") == "f");
    postgres.query("ALTER ROLE migrations_service LOGIN");
    pg::Database database({.url = postgres.service_url(), .threads = 1});
    CHECK(database.transact_blocking({}, [](pg::Tx& tx) { return tx.run("SELECT * FROM a").empty(); }));
    CHECK(pg::pending(postgres.service_url(), std::vector<pg::Component const*>{&first, &second}) ==
          Names{"second/0001_a"});
    for (char const* sql : {"SELECT * FROM b", "INSERT INTO a VALUES (1)", "DELETE FROM schema_migrations"})
        CHECK_THROWS_AS(
            database.transact_blocking({}, [&](pg::Tx& tx) { tx.run(sql); }), pqxx::insufficient_privilege);
}

TEST_CASE_METHOD(Fixture, "the name of a role may need quoting")
{
    std::string const name = "odd \"name\"";
    CHECK(failure({&first}, name).empty());
    CHECK(postgres.query("SELECT has_table_privilege('odd \"name\"', 'a', 'SELECT')") == "t");
}

TEST_CASE_METHOD(Fixture, "if the role cannot be created, the message contains the statement to run")
{
    postgres.query("ALTER ROLE migrations_owner NOCREATEROLE");
    std::string const message = failure({&first}, "missing_service");
    postgres.query("ALTER ROLE migrations_owner CREATEROLE");
    CHECK(message.find("CREATE ROLE \"missing_service\" NOLOGIN") != std::string::npos);
}
