#include "pg/database.hpp"
#include "schema.hpp"
#include "support/eventually.hpp"
#include "support/scopes.hpp"

#include <pqxx/connection>
#include <pqxx/transaction>

#include <array>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

// The share of the threads that a tenant and each of its environments may use while their calls wait for a
// lock. Scopes 2 and 3 belong to one tenant, 4 to another.

using namespace std::chrono_literals;

namespace {

struct Fixture {
    ~Fixture() { postgres.query("ALTER ROLE notes_service CONNECTION LIMIT -1"); }

    pg::DatabaseOptions options(unsigned threads) const
    {
        return {
            .url = postgres.service_url(), .threads = threads, .queue_timeout = 1h, .statement_timeout = 1h};
    }

    /// The number of calls that wait for the lock.
    std::string waiting() const
    {
        return postgres.query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
    }

    testing::Postgres postgres = notes_database();
};

/// A lock for which calls wait until this object is destroyed. Create it after the calls' owners, so that it
/// is destroyed before them.
class HeldLock {
public:
    explicit HeldLock(Fixture const& f) : connection_(f.postgres.superuser_url()), transaction_(connection_)
    {
        transaction_.exec("SELECT pg_advisory_xact_lock(7)");
    }

    void let_go() { transaction_.abort(); }

private:
    pqxx::connection connection_;
    pqxx::work transaction_;
};

/// The calls of a test, each on a separate thread. The result is the code of the thrown error.
using Calls = std::vector<std::future<std::string>>;

std::future<std::string> call(pg::Database& database, core::ScopeId scope_id, std::string const& sql)
{
    return std::async(std::launch::async, [&database, scope_id, sql] {
        return error_code_of([&] { database.transact_blocking(scope_id, [&](pg::Tx& tx) { tx.run(sql); }); });
    });
}

std::future<std::string> wait_for_lock(pg::Database& database, core::ScopeId scope_id)
{
    return call(database, scope_id, "SELECT pg_advisory_xact_lock(7)");
}

bool ends(std::future<std::string> const& call)
{
    return testing::eventually([&] { return call.wait_for(0s) == std::future_status::ready; });
}

} // namespace

TEST_CASE_METHOD(Fixture, "a tenant whose calls all wait for a lock leaves a thread to other tenants")
{
    struct Case {
        unsigned threads, share;
    };

    constexpr unsigned count = 20;
    auto const [threads, share] = GENERATE(Case{2, 1}, Case{3, 2}, Case{4, 3}, Case{8, 6});
    pg::Database database(options(threads));
    Calls calls;
    std::future<std::string> other;
    HeldLock held(*this);
    for (unsigned i = 0; i < count; ++i)
        calls.push_back(wait_for_lock(database, core::ScopeId{2 + i % 2}));
    REQUIRE(testing::eventually(
        [&, n = share] { return waiting() == std::to_string(n) && database.queued() == count - n; }));

    other = call(database, core::ScopeId{4}, "SELECT 1");
    REQUIRE(ends(other));
    CHECK(other.get() == "");
    CHECK(waiting() == std::to_string(share));
    held.let_go();
    for (auto& each : calls)
        CHECK(each.get() == "");
}

TEST_CASE_METHOD(Fixture,
    "an environment whose calls all wait for a lock leaves a thread to the tenant's other environment")
{
    struct Case {
        unsigned threads, share;
    };

    constexpr unsigned count = 10;
    auto const [threads, share] = GENERATE(Case{3, 1}, Case{5, 3}, Case{8, 5});
    core::ScopeId const stuck{GENERATE(2, 3)};
    pg::Database database(options(threads));
    Calls calls;
    std::future<std::string> sibling;
    HeldLock held(*this);
    for (unsigned i = 0; i < count; ++i)
        calls.push_back(wait_for_lock(database, stuck));
    REQUIRE(testing::eventually(
        [&, n = share] { return waiting() == std::to_string(n) && database.queued() == count - n; }));

    sibling = call(database, core::ScopeId{5 - core::number(stuck)}, "SELECT 1");
    REQUIRE(ends(sibling));
    CHECK(sibling.get() == "");
    held.let_go();
    for (auto& each : calls)
        CHECK(each.get() == "");
}

TEST_CASE_METHOD(
    Fixture, "a reservation is refused in the same cases as a transaction, and counts until it is released")
{
    auto few = options(2);
    few.queue_limit = 4;
    pg::Database database(few);
    Calls calls;
    HeldLock held(*this);
    calls.push_back(wait_for_lock(database, core::ScopeId{2}));
    REQUIRE(testing::eventually([&] { return waiting() == "1"; }));
    auto const reserve = [&](core::ScopeId scope_id) { return database.reserve(scope_id); };
    auto const refused = [&](core::ScopeId scope_id) { return error_code_of([&] { reserve(scope_id); }); };
    auto first = reserve(core::ScopeId{2}), second = reserve(core::ScopeId{2});
    CHECK(refused(core::ScopeId{2}) == "UNAVAILABLE");
    auto const third = reserve(core::ScopeId{3});
    CHECK(refused(core::ScopeId{3}) == "UNAVAILABLE");
    CHECK(call(database, core::ScopeId{2}, "SELECT 1").get() == "UNAVAILABLE");
    auto const other = reserve(core::ScopeId{4});
    CHECK(refused(core::ScopeId{6}) == "UNAVAILABLE");
    first.reset();
    calls.push_back(call(database, core::ScopeId{2}, "SELECT 1"));
    REQUIRE(testing::eventually([&] { return database.queued() == 1; }));
    CHECK(refused(core::ScopeId{2}) == "UNAVAILABLE");
    held.let_go();
    for (auto& each : calls)
        CHECK(each.get() == "");
    CHECK(refused(core::ScopeId{2}) == "");
}

TEST_CASE_METHOD(Fixture, "a single thread runs the calls of every tenant")
{
    pg::Database database(options(1));
    for (auto const scope_id : testing::scopes({2, 4, 3}))
        CHECK(call(database, scope_id, "SELECT 1").get() == "");
}

TEST_CASE_METHOD(Fixture, "transactions without a tenant may use every thread")
{
    pg::Database database(options(2));
    Calls calls;
    HeldLock held(*this);
    for (pg::Scopes const& scopes : {pg::Scopes(), pg::Scopes(testing::scopes({2, 4}))})
        calls.push_back(std::async(std::launch::async, [&database, scopes] {
            return error_code_of([&] {
                database.transact_blocking(
                    scopes, [](pg::Tx& tx) { tx.run("SELECT pg_advisory_xact_lock(7)"); });
            });
        }));
    CHECK(testing::eventually([&] { return waiting() == "2"; }));
    held.let_go();
    for (auto& each : calls)
        CHECK(each.get() == "");
}

TEST_CASE_METHOD(Fixture, "many calls of several tenants end, and no tenant exceeds its share")
{
    constexpr std::size_t tenants = 3, callers = 8, each = 25;
    pg::Database database(options(4));
    std::array<std::atomic<int>, tenants> running{}, most{};
    std::atomic<std::size_t> done = 0;
    auto const work = [&](std::size_t tenant, pg::Tx& tx) {
        int const now = ++running[tenant];
        int seen = most[tenant];
        while (seen < now && !most[tenant].compare_exchange_weak(seen, now)) {
        }
        tx.run("SELECT 1");
        --running[tenant];
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < tenants * callers; ++i)
            threads.emplace_back([&, tenant = i % tenants] {
                core::ScopeId const scope_id{2 + 2 * static_cast<std::int64_t>(tenant)};
                for (std::size_t n = 0; n < each; ++n) {
                    database.transact_blocking(scope_id, [&](pg::Tx& tx) { work(tenant, tx); });
                    ++done;
                }
            });
    }
    CHECK(done == tenants * callers * each);
    for (auto const& n : most)
        CHECK(n <= 3);
}

TEST_CASE_METHOD(Fixture,
    "a call whose connection broke no longer counts in its share, even if no new connection can be made")
{
    pg::Database database(options(2));
    std::string const mine = "FROM pg_stat_activity WHERE application_name = 'tetrad'";
    REQUIRE(testing::eventually([&] { return postgres.query("SELECT count(*) " + mine) == "2"; }));
    postgres.query("ALTER ROLE notes_service CONNECTION LIMIT 1");
    std::future<std::string> first, second;
    HeldLock held(*this);
    first = wait_for_lock(database, core::ScopeId{2});
    REQUIRE(testing::eventually([&] { return waiting() == "1"; }));
    second = call(database, core::ScopeId{2}, "SELECT 1");
    REQUIRE(testing::eventually([&] { return database.queued() == 1; }));
    postgres.query("SELECT pg_terminate_backend(pid) " + mine + " AND wait_event_type = 'Lock'");
    REQUIRE(ends(first));
    CHECK(first.get() == "UNAVAILABLE");
    REQUIRE(ends(second));
    CHECK(second.get() == "");
}

TEST_CASE_METHOD(Fixture, "only a tenant whose calls wait for a long time is refused")
{
    auto patient = options(2);
    patient.queue_timeout = 3s;
    pg::Database database(patient);
    Calls calls;
    HeldLock held(*this);
    calls.push_back(wait_for_lock(database, core::ScopeId{2}));
    REQUIRE(testing::eventually([&] { return waiting() == "1"; }));
    CHECK(testing::eventually([&] {
        auto another = call(database, core::ScopeId{3}, "SELECT 1");
        if (another.wait_for(50ms) == std::future_status::ready) return another.get() == "UNAVAILABLE";
        calls.push_back(std::move(another));
        return false;
    }));
    CHECK(calls.size() > 1);
    CHECK(call(database, core::ScopeId{4}, "SELECT 1").get() == "");
    held.let_go();
    for (auto& each : calls)
        CHECK(each.get() == "");
    CHECK(call(database, core::ScopeId{3}, "SELECT 1").get() == "");
}

TEST_CASE_METHOD(Fixture, "only a tenant that fills its share of the queue is refused")
{
    auto few = options(1);
    few.queue_limit = 4;
    pg::Database database(few);
    Calls calls;
    HeldLock held(*this);
    calls.push_back(wait_for_lock(database, core::ScopeId{2}));
    REQUIRE(testing::eventually([&] { return waiting() == "1"; }));
    auto const enqueue = [&](core::ScopeId scope_id) {
        auto const before = database.queued();
        calls.push_back(call(database, scope_id, "SELECT 1"));
        REQUIRE(testing::eventually([&] { return database.queued() == before + 1; }));
    };
    for (auto const scope_id : testing::scopes({2, 2, 3}))
        enqueue(scope_id);
    CHECK(call(database, core::ScopeId{3}, "SELECT 1").get() == "UNAVAILABLE");
    enqueue(core::ScopeId{4});
    CHECK(call(database, core::ScopeId{6}, "SELECT 1").get() == "UNAVAILABLE");
    held.let_go();
    for (auto& each : calls)
        CHECK(each.get() == "");
}
