#include "tenancy/eraser.hpp"

#include "audit/audit.hpp"
#include "fixture.hpp"
#include "idempotency/once.hpp"
#include "pg/row.hpp"
#include "support/eventually.hpp"
#include "tenancy/settings.hpp"

#include <catch2/catch.hpp>
#include <pqxx/connection>
#include <pqxx/except>
#include <pqxx/nontransaction>
#include <pqxx/result>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

namespace {

using namespace std::chrono_literals;

/// Tables of all kinds that a service may have: parent and child tables, a table that refers to itself, a
/// table protected by tenant, a table without row-level security, and a table from which the service may not
/// delete.
pg::Component const& service_tables()
{
    static pg::Component const component{"shop", {{"0001_shop", R"(
        CREATE TABLE a_orders (scope_id bigint NOT NULL, order_id bigint NOT NULL, PRIMARY KEY (scope_id, order_id));
        CREATE TABLE b_lines (scope_id bigint NOT NULL, line_id bigint NOT NULL, order_id bigint NOT NULL,
            PRIMARY KEY (scope_id, line_id), FOREIGN KEY (scope_id, order_id) REFERENCES a_orders);
        CREATE TABLE c_notes (scope_id bigint NOT NULL, note_id bigint NOT NULL, line_id bigint NOT NULL,
            PRIMARY KEY (scope_id, note_id), FOREIGN KEY (scope_id, line_id) REFERENCES b_lines);
        CREATE TABLE "Odd Name" (scope_id bigint NOT NULL, id bigint NOT NULL, PRIMARY KEY (scope_id, id));
        CREATE TABLE key_scopes (hash bytea PRIMARY KEY, scope_id bigint NOT NULL);
        CREATE TABLE templates (tenant_id bigint NOT NULL, name text NOT NULL, PRIMARY KEY (tenant_id, name));
        SELECT protect_by_scope('a_orders');
        SELECT protect_by_scope('b_lines');
        SELECT protect_by_scope('c_notes');
        SELECT protect_by_scope('"Odd Name"');
        ALTER TABLE templates ENABLE ROW LEVEL SECURITY;
        ALTER TABLE templates FORCE ROW LEVEL SECURITY;
        CREATE POLICY tenant ON templates USING (tenant_id * 2 = ANY (string_to_array(current_setting('app.scopes', true), ',')::bigint[]));
        GRANT SELECT, INSERT ON a_orders, b_lines, c_notes, "Odd Name", key_scopes, templates TO :service_role;
    )"}}};
    return component;
}

struct Shop {
    testing::Postgres postgres = testing::Postgres::migrated(
        {&tenancy::migrations(), &audit::migrations(), &idempotency::migrations(), &service_tables()},
        "shop");
    pg::Database database{{.url = postgres.service_url()}};
    testing::FakeClock clock;
    std::vector<core::Scope> hooked;
    bool hook_fails = false;
    tenancy::Eraser::Hook hook = [this](core::Scope const& scope) {
        if (hook_fails && scope.slug == "acme") throw std::runtime_error("the blob store is away");
        hooked.push_back(scope);
    };

    tenancy::TenantRecord create(std::string const& slug, int rows = 25)
    {
        auto const tenant =
            database
                .transact_blocking(pg::Scopes(),
                    [&](pg::Tx& tx) {
                        return tenancy::tenant_rows::upsert(tx, {slug, slug, {}, {}}, clock.now());
                    })
                .tenant;
        for (auto const environment : {core::Environment::production, core::Environment::sandbox})
            fill(tenant.scope(environment), rows);
        return tenant;
    }

    void fill(core::Scope const& scope, int rows)
    {
        auto const id = core::to_string(scope.id), n = std::to_string(rows),
                   tenant = core::to_string(scope.tenant_id());
        postgres.query("INSERT INTO a_orders SELECT " + id + ", i FROM generate_series(1, " + n + ") i");
        postgres.query("INSERT INTO b_lines SELECT " + id + ", i, i FROM generate_series(1, " + n + ") i");
        postgres.query("INSERT INTO c_notes SELECT " + id + ", i, i FROM generate_series(1, " + n + ") i");
        postgres.query("INSERT INTO \"Odd Name\" VALUES (" + id + ", 1)");
        postgres.query("INSERT INTO key_scopes VALUES ('\\x" +
                       std::string(scope.environment() == core::Environment::production ? "aa" : "bb") +
                       (scope.id < core::ScopeId{10} ? "0" : "") + id + "', " + id + ")");
        postgres.query("INSERT INTO templates VALUES (" + tenant + ", 'welcome') ON CONFLICT DO NOTHING");
        http::Request request;
        request.context = {.request_id = "r", .scope = scope, .idempotency_key = "k"};
        testing::run_awaitable(idempotency::once(database, request, [&](pg::Tx& tx) {
            tenancy::settings::write(tx, scope, {{"x", 1}}, std::nullopt, clock.now());
            audit::record(tx, request.context, {.action = "test", .subject_type = "test"});
            return http::Response::created("{}");
        }));
    }

    void schedule_erasure(std::string const& slug, std::chrono::hours grace = 0h)
    {
        database.transact_blocking(pg::Scopes(), [&](pg::Tx& tx) {
            tenancy::tenant_rows::schedule_erasure(tx, slug, clock.now() + grace, clock.now());
        });
    }

    /// The number of the tenant's rows in every table of the schema that may have such rows, including
    /// `tenants` and `tenant_erasures`.
    std::map<std::string, int> rows_of(core::TenantId tenant_id)
    {
        pqxx::connection connection(postgres.superuser_url());
        pqxx::nontransaction tx(connection);
        std::map<std::string, int> counts;
        auto const tables = tx.exec(R"(
            SELECT table_name, column_name
            FROM information_schema.columns
            WHERE table_schema = 'public' AND column_name IN ('scope_id', 'tenant_id'))");
        for (auto const& row : tables) {
            auto const table = row[0].as<std::string>(), column = row[1].as<std::string>();
            auto const id = core::to_string(tenant_id);
            auto const condition = column == "tenant_id" ? " = " + id : " / 2 = " + id;
            counts[table] =
                tx.exec("SELECT count(*) FROM " + tx.quote_name(table) + " WHERE " + column + condition)
                    .front()[0]
                    .as<int>();
        }
        return counts;
    }

    /// Calls step until there is nothing more to do, like the periodic task. Returns the number of steps.
    int run(tenancy::Eraser& eraser)
    {
        int steps = 1;
        while (eraser.step({})) {
            REQUIRE(++steps < 1000);
        }
        return steps;
    }
};

std::map<std::string, int> none(std::map<std::string, int> counts)
{
    for (auto& [table, count] : counts)
        count = 0;
    return counts;
}

} // namespace

TEST_CASE("erasure removes all rows of the tenant and none of another tenant")
{
    Shop shop;
    auto const before = shop.create("before");
    auto const acme = shop.create("acme");
    auto const after = shop.create("after");
    auto const full = shop.rows_of(acme.id);
    REQUIRE(full.size() == 10); // 6 tables of the shop, and those of settings, audit, idempotency and tenants
    for (auto const& [table, count] : full) {
        INFO(table);
        REQUIRE(count > 0);
    }
    auto const neighbours = std::pair(shop.rows_of(before.id), shop.rows_of(after.id));

    tenancy::Eraser eraser(shop.database, shop.clock, {shop.hook}, {.batch = 7});
    SECTION("by the periodic task when it is due")
    {
        shop.schedule_erasure("acme", 24h);
        shop.run(eraser);
        CHECK(shop.rows_of(acme.id) == full);
        CHECK(shop.hooked.empty());
        shop.clock.advance(24h);
        shop.run(eraser);
    }
    SECTION("at once")
    {
        shop.schedule_erasure("acme");
        CHECK(testing::run_awaitable(eraser.erase_now(acme.id)));
    }
    CHECK(shop.rows_of(acme.id) == none(full));
    CHECK(std::pair(shop.rows_of(before.id), shop.rows_of(after.id)) == neighbours);
    REQUIRE(shop.hooked.size() == 2);
    CHECK(shop.hooked[0].id == core::scope_of(acme.id, core::Environment::production));
    CHECK(shop.hooked[1].id == core::scope_of(acme.id, core::Environment::sandbox));
    CHECK(shop.hooked[0].slug == "acme");
}

TEST_CASE("rows that requests write during the erasure are removed later")
{
    Shop shop;
    auto const acme = shop.create("acme");
    shop.schedule_erasure("acme");
    tenancy::Eraser eraser(shop.database, shop.clock, {shop.hook});
    REQUIRE(testing::run_awaitable(eraser.erase_now(acme.id)));
    shop.postgres.query("INSERT INTO a_orders VALUES (" +
                        core::to_string(core::scope_of(acme.id, core::Environment::sandbox)) + ", 1)");
    shop.run(eraser);
    CHECK(shop.rows_of(acme.id).at("a_orders") == 1);
    CHECK(shop.hooked.size() == 2);

    shop.clock.advance(5min);
    shop.run(eraser);
    CHECK(shop.rows_of(acme.id) == none(shop.rows_of(acme.id)));
    CHECK(shop.hooked.size() == 4);
    CHECK(shop.postgres.query("SELECT count(*) FROM tenant_erasures") == "0");
    CHECK(shop.run(eraser) == 1);
}

TEST_CASE("the slug of an erased tenant can be used again, and the rows of the new tenant are kept")
{
    Shop shop;
    auto const old = shop.create("acme");
    shop.schedule_erasure("acme");
    tenancy::Eraser eraser(shop.database, shop.clock, {shop.hook});
    REQUIRE(testing::run_awaitable(eraser.erase_now(old.id)));
    auto const fresh = shop.create("acme");
    CHECK(fresh.id > old.id);
    auto const full = shop.rows_of(fresh.id);
    shop.clock.advance(1h);
    shop.run(eraser);
    CHECK(shop.rows_of(fresh.id) == full);
}

TEST_CASE("a reactivated tenant is not erased, and a tenant whose erasure has begun cannot be reactivated")
{
    Shop shop;
    auto const acme = shop.create("acme");
    auto const full = shop.rows_of(acme.id);
    tenancy::Eraser eraser(shop.database, shop.clock, {shop.hook});
    auto const revive = [&] {
        return code_of([&] {
            shop.database.transact_blocking(pg::Scopes(), [&](pg::Tx& tx) {
                tenancy::tenant_rows::upsert(tx, {"acme", "Acme", {}, {}}, shop.clock.now());
            });
        });
    };
    shop.schedule_erasure("acme", 24h);
    CHECK(revive().empty());
    shop.clock.advance(48h);
    shop.run(eraser);
    CHECK(shop.rows_of(acme.id) == full);

    shop.schedule_erasure("acme");
    shop.hook_fails = true;
    CHECK_THROWS_WITH(testing::run_awaitable(eraser.erase_now(acme.id)), "the blob store is away");
    CHECK(revive() == "CONFLICT");
    shop.hook_fails = false;
    shop.run(eraser);
    CHECK(revive().empty());
}

TEST_CASE("a failing hook postpones only the erasure of its tenant, and is retried")
{
    Shop shop;
    auto const acme = shop.create("acme");
    auto const other = shop.create("other");
    shop.schedule_erasure("acme");
    shop.schedule_erasure("other");
    tenancy::Eraser eraser(shop.database, shop.clock, {shop.hook});
    shop.hook_fails = true;
    CHECK_THROWS_WITH(shop.run(eraser), "the blob store is away");
    CHECK(shop.rows_of(acme.id).at("tenants") == 1);
    CHECK(shop.rows_of(acme.id).at("a_orders") > 0);
    CHECK(shop.rows_of(other.id) == none(shop.rows_of(other.id)));

    shop.hook_fails = false;
    shop.run(eraser);
    CHECK(shop.rows_of(acme.id) == none(shop.rows_of(acme.id)));
}

TEST_CASE("a purge that takes too long continues in the background")
{
    Shop shop;
    auto const acme = shop.create("acme");
    shop.schedule_erasure("acme");
    tenancy::Eraser eraser(shop.database, shop.clock, {shop.hook}, {.batch = 1, .erase_now_timeout = 1ms});
    CHECK_FALSE(testing::run_awaitable(eraser.erase_now(acme.id)));
    CHECK(shop.rows_of(acme.id).at("tenants") == 1);
    shop.run(eraser);
    CHECK(shop.rows_of(acme.id) == none(shop.rows_of(acme.id)));
}

TEST_CASE("a stopped eraser ends after its batch")
{
    Shop shop;
    auto const acme = shop.create("acme");
    shop.schedule_erasure("acme");
    std::stop_source source;
    auto const stop_later = [&](core::Scope const& scope) {
        if (scope.environment() == core::Environment::sandbox) source.request_stop();
    };
    tenancy::Eraser eraser(shop.database, shop.clock, {stop_later}, {.batch = 1});
    CHECK_FALSE(eraser.step(source.get_token()));
    CHECK(shop.rows_of(acme.id).at("tenants") == 1);
    CHECK(eraser.step({}));
    CHECK(shop.rows_of(acme.id).at("tenants") == 0);
    eraser.stop();
    CHECK(code_of([&] { testing::run_awaitable(eraser.erase_now(acme.id)); }) == "UNAVAILABLE");
}

TEST_CASE("two replicas that erase the same tenant leave no rows")
{
    Shop shop;
    auto const acme = shop.create("acme", 2000);
    shop.schedule_erasure("acme");
    tenancy::Eraser one(shop.database, shop.clock, {}, {.batch = 50});
    tenancy::Eraser two(shop.database, shop.clock, {}, {.batch = 50});
    {
        std::jthread const first([&] {
            while (one.step({})) {
            }
        });
        std::jthread const second([&] {
            while (two.step({})) {
            }
        });
    }
    CHECK(shop.rows_of(acme.id) == none(shop.rows_of(acme.id)));
}

TEST_CASE("replicas take turns, and none processes rows that another replica is deleting")
{
    Shop shop;
    auto const acme = shop.create("acme");
    shop.schedule_erasure("acme");
    shop.postgres.query("UPDATE tenants SET erasure_began_at = now()");
    auto const erase = [&](pg::Tx& tx) {
        return pg::RowReader(tx.run("SELECT erase_tenant_rows($1, 10)", {acme.id}).front()).integer();
    };
    std::atomic<bool> deleted = false;
    std::jthread const first([&] {
        shop.database.transact_blocking(pg::Scopes(), [&](pg::Tx& tx) {
            erase(tx);
            deleted = true;
            testing::eventually([&] {
                return shop.postgres.query("SELECT count(*) FROM pg_locks WHERE NOT granted") == "1";
            });
        });
    });
    REQUIRE(testing::eventually([&] { return deleted.load(); }));
    CHECK(shop.database.transact_blocking(pg::Scopes(), erase) == 10);
    // The second replica continued in the same table where the first one stopped.
    CHECK(shop.rows_of(acme.id).at("c_notes") == 50 - 20);
}

TEST_CASE("the service can erase only tenants whose erasure has begun")
{
    Shop shop;
    auto const acme = shop.create("acme");
    auto const full = shop.rows_of(acme.id);
    auto const erase = [&](core::TenantId id) {
        shop.database.transact_blocking(
            pg::Scopes(), [&](pg::Tx& tx) { tx.run("SELECT erase_tenant_rows($1, 10)", {id}); });
    };
    CHECK_THROWS_AS(erase(acme.id), pqxx::sql_error);
    CHECK_THROWS_AS(erase(core::TenantId{core::number(acme.id) + 999}), pqxx::sql_error);
    shop.schedule_erasure("acme");
    CHECK_THROWS_AS(erase(acme.id), pqxx::sql_error);
    CHECK_THROWS_AS(shop.database.transact_blocking(acme.scope(core::Environment::production),
                        [&](pg::Tx& tx) {
                            tx.run("DELETE FROM audit_log WHERE scope_id = $1",
                                {core::scope_of(acme.id, core::Environment::production)});
                        }),
        pqxx::insufficient_privilege);
    CHECK_THROWS_AS(shop.database.transact_blocking(
                        pg::Scopes(), [&](pg::Tx& tx) { tx.run("DELETE FROM scope_settings"); }),
        pqxx::insufficient_privilege);
    CHECK(shop.rows_of(acme.id) == full);
}

TEST_CASE("the erasing function does not change the transaction's scopes")
{
    Shop shop;
    auto const acme = shop.create("acme");
    shop.create("other");
    shop.schedule_erasure("acme");
    auto const seen = shop.database.transact_blocking(pg::Scopes(), [&](pg::Tx& tx) {
        tx.run("UPDATE tenants SET erasure_began_at = now() WHERE tenant_id = $1", {acme.id});
        tx.run("SELECT erase_tenant_rows($1, 1)", {acme.id});
        return pg::RowReader(tx.run("SELECT count(*) FROM a_orders").front()).integer();
    });
    CHECK(seen == 0);
}
