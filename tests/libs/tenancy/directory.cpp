#include "tenancy/directory.hpp"

#include "fixture.hpp"
#include "pg/listener.hpp"
#include "support/eventually.hpp"
#include "tenancy/settings.hpp"

#include <catch2/catch.hpp>
#include <pqxx/connection>
#include <pqxx/transaction>

#include <atomic>
#include <thread>

namespace {

using namespace std::chrono_literals;
using core::Environment;
using Found = std::shared_ptr<tenancy::Tenant const>;

/// A directory with a listener, as in an application.
class Replica {
public:
    explicit Replica(Store& store)
        : database_({.url = store.postgres.service_url(), .threads = 1}),
          directory(database_, [this] { return listener_ && listener_->live(); }),
          listener_(std::make_unique<pg::Listener>(store.postgres.service_url(),
              std::map<std::string, std::function<void(std::string const&)>>{
                  {tenancy::channel, [this](std::string const& payload) { directory.on_notify(payload); }}},
              [this] { directory.on_gap(); }))
    {
        REQUIRE(testing::eventually([this] { return listener_->live(); }));
    }

    Found find(std::string_view slug) { return testing::run_awaitable(directory.find(slug)); }

private:
    pg::Database database_;

public:
    tenancy::Directory directory;

private:
    std::unique_ptr<pg::Listener> listener_;
};

/// A directory that the test notifies of changes.
struct Alone {
    explicit Alone(Store& store, tenancy::DirectoryOptions const& options = {})
        : directory(store.database, [this] { return live.load(); }, options)
    {
    }

    Found find(std::string_view slug) { return testing::run_awaitable(directory.find(slug)); }

    Found find(core::TenantId id) { return testing::run_awaitable(directory.find_by_id(id)); }

    std::atomic<bool> live = true;
    tenancy::Directory directory;
};

void set(Store& store, core::Scope const& scope, boost::json::object const& document)
{
    store.database.transact_blocking(scope,
        [&](pg::Tx& tx) { tenancy::settings::write(tx, scope, document, std::nullopt, store.clock.now()); });
}

} // namespace

TEST_CASE("a tenant is found by slug and by id, with the settings of both environments")
{
    Store store;
    auto const acme = store.create("acme");
    store.create("other");
    set(store, acme.scope(Environment::production), {{"allowedOrigins", {"https://a.example"}}, {"x", 1}});
    set(store, acme.scope(Environment::sandbox),
        {{"allowedOrigins", {"http://localhost:3000", "https://b.example"}}});
    Alone alone(store);

    for (auto const& found : {alone.find("acme"), alone.find(acme.id)}) {
        REQUIRE(found);
        CHECK(found->id == acme.id);
        CHECK(found->slug == "acme");
        CHECK(found->display_name == "acme Ltd");
        CHECK_FALSE(found->suspended);
        CHECK_FALSE(found->erase_after);
        CHECK(found->settings(Environment::production).allowed_origins ==
              std::vector<std::string>{"https://a.example"});
        CHECK(found->settings(Environment::production).document.at("x") == 1);
        CHECK(found->settings(Environment::production).version == 1);
        CHECK(found->settings(Environment::sandbox).allowed_origins ==
              std::vector<std::string>{"http://localhost:3000", "https://b.example"});
        CHECK(found->scope(Environment::sandbox).id == core::scope_of(acme.id, Environment::sandbox));
    }
    CHECK(alone.find("other")->settings(Environment::production).document.empty());
    CHECK(alone.find("nobody") == nullptr);
    CHECK(alone.find("Not A Slug") == nullptr);
    CHECK(alone.find(core::TenantId{core::number(acme.id) + 1000}) == nullptr);
}

TEST_CASE("with shared settings the sandbox has the settings of production")
{
    Store store;
    auto const acme = store.create("acme");
    set(store, acme.scope(Environment::production), {{"allowedOrigins", {"https://a.example"}}});
    set(store, acme.scope(Environment::sandbox), {{"allowedOrigins", {"https://b.example"}}});
    Alone alone(store, {.shared_settings = true});
    for (auto const& found : {alone.find("acme"), alone.find(acme.id)}) {
        REQUIRE(found);
        for (auto const environment : {Environment::production, Environment::sandbox})
            CHECK(found->settings(environment).allowed_origins ==
                  std::vector<std::string>{"https://a.example"});
    }
}

TEST_CASE("the limits of a tenant are read by their names")
{
    Store store;
    store.database.transact_blocking(pg::Scopes(), [&](pg::Tx& tx) {
        tenancy::Limits const limits(
            {{"requestsPerMinute", 7}, {"other", 1}, {"smsPerDay", 0}, {"sandboxSms", true}});
        tenancy::tenant_rows::upsert(tx, {"acme", "Acme", true, limits}, store.clock.now());
    });
    Alone alone(store);
    auto const found = alone.find("acme");
    CHECK(found->suspended);
    CHECK(found->limits.requests_per_minute() == 7);
    CHECK(found->limits.find("other") == 1);
    CHECK(found->limits.find("absent") == std::nullopt);
    CHECK(found->limits.sms_per_day() == 0);
    CHECK(found->limits.sandbox_sms());
    CHECK(found->limits.find("sandboxSms") == std::nullopt); // no number
    CHECK(tenancy::Limits().sms_per_day() == 1'000);
    CHECK_FALSE(tenancy::Limits().sandbox_sms());
}

TEST_CASE("found and unknown tenants are cached until a change is announced")
{
    Store store;
    auto const acme = store.create("acme");
    Alone alone(store);
    auto const first = alone.find("acme");
    CHECK(alone.find("later") == nullptr);
    store.postgres.query("UPDATE tenants SET display_name = 'changed'");
    store.create("later");
    CHECK(alone.find("acme") == first);
    CHECK(alone.find(acme.id) == first);
    CHECK(alone.find("later") == nullptr);

    SECTION("a change of another tenant does not affect this one")
    {
        alone.directory.on_notify("other");
        CHECK(alone.find("acme") == first);
    }
    SECTION("a notification removes one tenant")
    {
        alone.directory.on_notify("acme");
        CHECK(alone.find("acme")->display_name == "changed");
        CHECK(alone.find("later") == nullptr);
        alone.directory.on_notify("later");
        CHECK(alone.find("later")->slug == "later");
    }
    SECTION("a gap removes all tenants")
    {
        alone.directory.on_gap();
        CHECK(alone.find(acme.id)->display_name == "changed");
        CHECK(alone.find("later")->slug == "later");
    }
    SECTION("without a live listener each call queries the database")
    {
        alone.live = false;
        CHECK(alone.find("acme")->display_name == "changed");
        store.postgres.query("UPDATE tenants SET display_name = 'again'");
        CHECK(alone.find("acme")->display_name == "again");
        CHECK(alone.find(acme.id)->display_name == "again");
        CHECK(alone.find("later")->slug == "later");
    }
}

TEST_CASE("the old tenant id is not found after its slug has gone to another tenant")
{
    Store store;
    auto const old = store.create("acme");
    Alone alone(store);
    CHECK(alone.find(old.id)->id == old.id);
    store.postgres.query("DELETE FROM tenants");
    auto const fresh = store.create("acme");
    REQUIRE(fresh.id != old.id);
    alone.directory.on_notify("acme");
    CHECK(alone.find("acme")->id == fresh.id);
    CHECK(alone.find(old.id) == nullptr);
    CHECK(alone.find(fresh.id)->id == fresh.id);
}

TEST_CASE("a change that is announced during a query is not overwritten by the query's older result")
{
    Store store;
    store.create("acme");
    Alone alone(store);
    // The query of the settings, which follows the query of the tenants, sleeps while the test holds an
    // advisory lock. It does not wait for the lock itself: after `lock_timeout` both queries would run again.
    pqxx::connection other(store.postgres.superuser_url());
    pqxx::work lock(other);
    lock.exec("SELECT pg_advisory_xact_lock(1)");
    store.postgres.query(R"(
        CREATE FUNCTION sleep_while_locked() RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            WHILE NOT pg_try_advisory_xact_lock_shared(1) LOOP
                PERFORM pg_sleep(0.01);
            END LOOP;
        END $$;
        ALTER TABLE scope_settings RENAME TO unlocked_settings;
        CREATE VIEW scope_settings AS SELECT s.* FROM sleep_while_locked(), unlocked_settings AS s;
        GRANT SELECT ON scope_settings TO PUBLIC)");
    Found early;
    std::jthread looker([&] { early = alone.find("acme"); });
    REQUIRE(testing::eventually([&] {
        return store.postgres.query("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") !=
               "0";
    }));
    store.postgres.query("UPDATE tenants SET display_name = 'changed'");
    alone.directory.on_notify("acme");
    lock.commit();
    looker.join();
    REQUIRE(early);
    CHECK(early->display_name == "acme Ltd");
    CHECK(alone.find("acme")->display_name == "changed");
}

TEST_CASE("many unknown slugs do not evict tenants")
{
    Store store;
    store.create("acme");
    Alone alone(store, {.capacity = 10, .absent_capacity = 10});
    auto const first = alone.find("acme");
    for (int i = 0; i < 100; ++i)
        CHECK(alone.find("x" + std::to_string(i)) == nullptr);
    CHECK(alone.find("acme") == first);
}

TEST_CASE("many concurrent callers each get their own result")
{
    Store store;
    for (int i = 0; i < 50; ++i)
        store.create("t" + std::to_string(i));
    Alone alone(store);
    std::atomic<int> right = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 8; ++t)
            threads.emplace_back([&] {
                for (int i = 0; i < 60; ++i) {
                    auto const slug = "t" + std::to_string(i);
                    auto const found = alone.find(slug);
                    if (i < 50 ? found && found->slug == slug : !found) ++right;
                }
            });
    }
    CHECK(right == 8 * 60);
}

TEST_CASE("a change reaches every replica")
{
    Store store;
    auto const acme = store.create("acme");
    Replica one(store), two(store);
    auto const both = [&](auto const& condition) {
        return testing::eventually(
            [&] { return condition(one.find("acme")) && condition(two.find("acme")); });
    };
    REQUIRE(both([](Found const& t) { return t && !t->suspended; }));
    // Both replicas have cached the tenant, so they return the same object again.
    REQUIRE(testing::eventually([&] { return one.find("acme") == one.find("acme"); }));
    REQUIRE(testing::eventually([&] { return two.find("acme") == two.find("acme"); }));

    store.database.transact_blocking(pg::Scopes(), [&](pg::Tx& tx) {
        tenancy::tenant_rows::schedule_erasure(tx, "acme", store.clock.now() + 24h, store.clock.now());
    });
    CHECK(both([](Found const& t) { return t && t->suspended && t->erase_after; }));

    set(store, acme.scope(Environment::sandbox), {{"allowedOrigins", {"https://new.example"}}});
    CHECK(both([](Found const& t) { return t->settings(Environment::sandbox).allowed_origins.size() == 1; }));

    CHECK(one.find("later") == nullptr);
    store.create("later");
    CHECK(testing::eventually([&] { return one.find("later") != nullptr; }));

    store.postgres.query("DELETE FROM tenants WHERE slug = 'acme'");
    CHECK(both([](Found const& t) { return t == nullptr; }));
}

TEST_CASE("a hundred thousand tenants are searched as fast as a few")
{
    Store store;
    store.postgres.query(
        R"(
        INSERT INTO tenants (slug, display_name, status, limits, created_at, updated_at)
        SELECT 'bulk' || i, 'Bulk', 'active', '{}', now(), now()
        FROM generate_series(1, 100000) AS i; ANALYZE tenants)");
    CHECK(store.postgres
              .query("EXPLAIN SELECT * FROM tenants WHERE slug = ANY ('{bulk5}'::text[]) "
                     "OR tenant_id = ANY ('{7}'::bigint[])")
              .find("Bitmap Heap Scan") == 0);
    Alone alone(store, {.capacity = 100});
    for (int i = 1; i <= 100'000; i += 997) {
        auto const slug = "bulk" + std::to_string(i);
        REQUIRE(alone.find(slug)->slug == slug);
    }
}
