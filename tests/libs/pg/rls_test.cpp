#include "pg/database.hpp"
#include "pg/row.hpp"
#include "schema.hpp"
#include "support/eventually.hpp"
#include "support/scopes.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <pqxx/except>

#include <atomic>
#include <future>
#include <thread>

using namespace std::chrono_literals;

namespace {

struct Fixture {
    Fixture()
    {
        for (auto const scope : testing::scopes({2, 3, 4}))
            database.transact_blocking(
                scope, [&](pg::Tx& tx) { insert_note(tx, scope, core::Uuid::v7(), "x"); });
    }

    std::int64_t visible(pg::Scopes const& scopes)
    {
        return database.transact_blocking(scopes, [](pg::Tx& tx) { return count_notes(tx); });
    }

    testing::Postgres postgres = notes_database();
    pg::Database database{{.url = postgres.service_url(), .threads = 1}};
};

} // namespace

TEST_CASE_METHOD(Fixture, "a transaction sees only the rows of its scopes")
{
    CHECK(visible(core::ScopeId{2}) == 1);
    CHECK(visible(pg::Scopes({core::ScopeId{2}, core::ScopeId{4}})) == 2);
    CHECK(visible(core::ScopeId{99}) == 0);
    CHECK(visible({}) == 0);
    CHECK(postgres.query("SELECT count(*) FROM notes") == "3");
}

TEST_CASE_METHOD(Fixture, "a connection without a scope sees no rows")
{
    pg::Database fresh({.url = postgres.service_url(), .threads = 1});
    CHECK(fresh.transact_blocking({}, [](pg::Tx& tx) { return count_notes(tx); }) == 0);
}

TEST_CASE_METHOD(
    Fixture, "after commit or rollback the scope of a transaction does not apply to the next one")
{
    REQUIRE(visible(core::ScopeId{2}) == 1);
    CHECK(visible({}) == 0);
    CHECK_THROWS(database.transact_blocking(core::ScopeId{2}, [](pg::Tx& tx) {
        tx.run("SELECT 1");
        throw std::runtime_error("rolled back");
    }));
    CHECK(visible({}) == 0);
}

TEST_CASE_METHOD(Fixture, "rows of other scopes cannot be written")
{
    auto const insert = [](pg::Tx& tx) { insert_note(tx, core::ScopeId{3}, core::Uuid::v7(), "x"); };
    CHECK_THROWS_AS(database.transact_blocking(core::ScopeId{2}, insert), pqxx::insufficient_privilege);
    CHECK_THROWS_AS(database.transact_blocking({}, insert), pqxx::insufficient_privilege);
    CHECK_THROWS_AS(database.transact_blocking(
                        core::ScopeId{2}, [](pg::Tx& tx) { tx.run("UPDATE notes SET scope_id = 3"); }),
        pqxx::insufficient_privilege);
    database.transact_blocking(
        core::ScopeId{2}, [](pg::Tx& tx) { tx.run("UPDATE notes SET body = 'mine'"); });
    database.transact_blocking(core::ScopeId{4}, [](pg::Tx& tx) { tx.run("DELETE FROM notes"); });
    CHECK(postgres.query("SELECT string_agg(scope_id || body, ' ' ORDER BY scope_id) FROM notes") ==
          "2mine 3x");
}

TEST_CASE_METHOD(
    Fixture, "row-level security also binds the owner of the table, and the service cannot change the schema")
{
    pg::Database owner({.url = postgres.owner_url(), .threads = 1});
    CHECK(owner.transact_blocking({}, [](pg::Tx& tx) { return count_notes(tx); }) == 0);
    CHECK(owner.transact_blocking(core::ScopeId{2}, [](pg::Tx& tx) { return count_notes(tx); }) == 1);
    for (char const* sql : {"ALTER TABLE notes DISABLE ROW LEVEL SECURITY", "CREATE TABLE t ()",
             "DROP POLICY scope ON notes", "SELECT protect_by_scope('notes')"})
        CHECK_THROWS_AS(database.transact_blocking(core::ScopeId{2}, [&](pg::Tx& tx) { tx.run(sql); }),
            pqxx::insufficient_privilege);
}

TEST_CASE_METHOD(Fixture, "the policy is a filter, and the scope in the statement is the index condition")
{
    auto const plan = database.transact_blocking(core::ScopeId{2}, [](pg::Tx& tx) {
        tx.run("SELECT set_config('enable_seqscan', 'off', true)");
        std::string text;
        for (pg::Row const& row : tx.run("EXPLAIN SELECT body FROM notes WHERE scope_id = 2"))
            text += pg::RowReader(row).text() + "\n";
        return text;
    });
    INFO(plan);
    CHECK(plan.find("Cond: (scope_id = ") != std::string::npos);
    CHECK(plan.find("Filter: ((scope_id + 0) = ANY") != std::string::npos);
}

TEST_CASE("data that a tenant's environments share are visible to both and to no other tenant")
{
    static pg::Component const schema{"shared", {{"0001_shared", R"(
        CREATE TABLE shared (tenant_id bigint NOT NULL, body text NOT NULL, PRIMARY KEY (tenant_id, body));
        SELECT protect_by_tenant('shared');
        GRANT SELECT, INSERT, UPDATE, DELETE ON shared TO :service_role;
    )"}}};
    auto const postgres = testing::Postgres::migrated({&schema}, "shared");
    pg::Database database({.url = postgres.service_url(), .threads = 1});
    pg::Database owner({.url = postgres.owner_url(), .threads = 1});
    auto const insert = [&](pg::Scopes const& scopes, core::TenantId tenant, std::string const& body) {
        database.transact_blocking(scopes, [&](pg::Tx& tx) {
            tx.run("INSERT INTO shared (tenant_id, body) VALUES ($1, $2)", {tenant, body});
        });
    };
    auto const visible = [](pg::Database& from, pg::Scopes const& scopes) {
        return from.transact_blocking(scopes,
            [](pg::Tx& tx) { return pg::RowReader(tx.run("SELECT count(*) FROM shared")[0]).integer(); });
    };
    insert(core::ScopeId{2}, core::TenantId{1}, "by production");
    insert(core::ScopeId{3}, core::TenantId{1}, "by sandbox");
    insert(core::ScopeId{4}, core::TenantId{2}, "of another");

    CHECK(visible(database, core::ScopeId{2}) == 2);
    CHECK(visible(database, core::ScopeId{3}) == 2);
    CHECK(visible(database, core::ScopeId{5}) == 1);
    CHECK(visible(database, core::ScopeId{6}) == 0);
    CHECK(visible(database, pg::Scopes({core::ScopeId{3}, core::ScopeId{4}})) == 3);
    CHECK(visible(database, {}) == 0);
    CHECK(visible(owner, {}) == 0);
    CHECK_THROWS_AS(insert(core::ScopeId{2}, core::TenantId{2}, "x"), pqxx::insufficient_privilege);
    CHECK_THROWS_AS(insert({}, core::TenantId{1}, "x"), pqxx::insufficient_privilege);
    CHECK_THROWS_AS(database.transact_blocking(
                        core::ScopeId{2}, [](pg::Tx& tx) { tx.run("UPDATE shared SET tenant_id = 2"); }),
        pqxx::insufficient_privilege);
    database.transact_blocking(core::ScopeId{5}, [](pg::Tx& tx) { tx.run("DELETE FROM shared"); });
    CHECK(postgres.query("SELECT string_agg(body, ', ' ORDER BY body) FROM shared") ==
          "by production, by sandbox");
}

TEST_CASE("serialised work of one scope waits for its turn, and work of other scopes does not")
{
    auto const postgres = notes_database();
    pg::Database database(
        {.url = postgres.service_url(), .threads = 4, .queue_timeout = std::chrono::hours(1)});

    struct In {
        core::ScopeId scope_id;
    };

    pg::Batcher<In, core::ScopeId> locked(database,
        [](pg::BatchConnection& connection, std::span<In const> inputs) -> pg::Batch<core::ScopeId> {
            auto const scopes = pg::scopes_of(inputs);
            std::vector<pg::Param> const params{scopes.ids()};
            co_await connection.run_with_scope_locks(scopes, "SELECT $1::bigint[]", params);
            co_return scopes.ids();
        });
    boost::asio::io_context ioc(1);
    std::promise<void> taken;
    std::promise<void> release;
    std::thread holder([&] {
        database.transact_blocking(core::ScopeId{2}, [&](pg::Tx& tx) {
            pg::lock_scope(tx, core::ScopeId{2});
            taken.set_value();
            release.get_future().wait();
        });
    });
    taken.get_future().wait();
    bool same = false;
    bool other = false;
    boost::asio::co_spawn(
        ioc, locked.run({core::ScopeId{2}}), [&](std::exception_ptr, core::ScopeId) { same = true; });
    // The first batch runs before the second caller arrives, so they do not share a batch.
    REQUIRE(testing::eventually([&] {
        ioc.poll();
        return postgres.query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") ==
               "1";
    }));
    boost::asio::co_spawn(
        ioc, locked.run({core::ScopeId{4}}), [&](std::exception_ptr, core::ScopeId) { other = true; });
    CHECK(testing::eventually([&] { return ioc.poll(), other; }));
    CHECK_FALSE(same);
    release.set_value();
    CHECK(testing::eventually([&] { return ioc.poll(), same; }));
    holder.join();
}
