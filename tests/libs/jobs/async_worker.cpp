#include "async.hpp"
#include "support/eventually.hpp"
#include "support/scopes.hpp"

#include <pqxx/connection>
#include <pqxx/transaction>

using namespace jobs_test;
using testing::eventually;

TEST_CASE("an asynchronous worker starts many jobs at once and writes their outcomes")
{
    Async f;
    for (auto const scope : testing::scopes_between(2, 39))
        f.add(scope);
    std::atomic<int> recorded = 0;
    f.record = [&](pg::Tx&, auto runs) { recorded += static_cast<int>(runs.size()); };
    f.start(200);
    REQUIRE(eventually([&] { return f.begun == 38; }));
    CHECK(f.most_at_once == 38);
    CHECK(f.worker->in_flight() == 38);
    CHECK(f.jobs_left() == 38);
    f.end_all();
    REQUIRE(eventually([&] { return f.worker->in_flight() == 0; }));
    CHECK(f.jobs_left() == 0);
    CHECK(eventually([&] { return f.finished == 38; }));
    CHECK(recorded == 38);
}

TEST_CASE("the two scopes of a tenant share its part of an asynchronous worker, and the next tenant can "
          "start a job")
{
    Async f;
    f.add_many(core::ScopeId{2}, 60);
    f.add_many(core::ScopeId{3}, 60);
    f.start(100);
    REQUIRE(eventually([&] { return f.by_tenant()[core::TenantId{1}] >= 25; }));
    f.add(core::ScopeId{4});
    REQUIRE(eventually([&] { return f.by_tenant()[core::TenantId{2}] == 1; }));
    CHECK(f.by_tenant()[core::TenantId{1}] <= 26);
    f.at_once = true;
    f.end_all();
    CHECK(eventually([&] { return f.jobs_left() == 0; }));
    CHECK(f.begun == 121);
}

TEST_CASE("a job that is enqueued again during its asynchronous run runs once more")
{
    Async f;
    auto const ref = f.add(core::ScopeId{2});
    f.start();
    REQUIRE(eventually([&] { return f.begun == 1; }));
    f.add(core::ScopeId{2}, ref);
    f.end_all();
    REQUIRE(eventually([&] { return f.begun == 2; }));
    f.end_all();
    CHECK(eventually([&] { return f.jobs_left() == 0; }));
    CHECK(eventually([&] { return f.finished == 2; }));
    CHECK(f.lost == 0);
}

TEST_CASE("a run that lost its lease writes nothing, and other outcomes are written")
{
    Async f;
    auto const taken = f.add(core::ScopeId{2});
    f.add(core::ScopeId{4});
    std::mutex mutex;
    std::vector<core::ScopeId> written;
    f.record = [&](pg::Tx&, auto runs) {
        std::lock_guard const lock(mutex);
        for (auto const* run : runs)
            written.push_back(run->claim.scope_id);
    };
    f.start();
    REQUIRE(eventually([&] { return f.begun == 2; }));
    f.postgres.query(
        "UPDATE jobs SET lease_owner = gen_random_uuid() WHERE ref = '" + taken.to_string() + "'");
    f.end_all();
    REQUIRE(eventually([&] { return f.worker->in_flight() == 0; }));
    CHECK(f.lost == 1);
    CHECK(eventually([&] { return f.finished == 1; }));
    CHECK(written == testing::scopes({4}));
    CHECK(f.jobs_left() == 1);
}

TEST_CASE("a run that only postpones its job is neither counted nor reported")
{
    Async f;
    f.add(core::ScopeId{2});
    f.start();
    REQUIRE(eventually([&] { return f.begun == 1; }));
    {
        std::lock_guard const lock(f.mutex);
        auto run = Async::put_back(std::move(f.running.front()));
        run.run_at = f.clock.now() + 1h;
        f.running.clear();
        f.worker->finish(std::move(run));
    }
    REQUIRE(eventually([&] { return f.worker->in_flight() == 0; }));
    CHECK(f.finished == 0);
    CHECK(f.postgres.query("SELECT attempts FROM jobs WHERE lease_owner IS NULL") == "0");
    f.clock.advance(1h);
    CHECK(eventually([&] { return f.begun == 2; }));
}

TEST_CASE("jobs whose start throws are retried later")
{
    Async f;
    f.add(core::ScopeId{2});
    f.add(core::ScopeId{4});
    std::atomic<bool> broken = true;
    std::atomic<int> runs = 0;
    jobs::AsyncHandler const handler{.begin =
                                         [&](std::vector<Claim> claims, AsyncWorker& self, auto const&) {
                                             ++runs;
                                             if (broken) throw std::runtime_error("not now");
                                             for (auto& claim : claims)
                                                 self.finish({.claim = std::move(claim)});
                                         },
        .record = [](auto&&...) {}};
    AsyncWorker const worker(
        f.database, f.clock, {.queue = "q", .poll = 20ms, .takeover_delay = 0ms}, handler);
    REQUIRE(eventually([&] {
        return f.postgres.query("SELECT count(*) FROM jobs WHERE attempts = 1 AND lease_owner IS NULL") ==
               "2";
    }));
    broken = false;
    f.clock.advance(1s);
    CHECK(eventually([&] { return f.jobs_left() == 0; }));
}

TEST_CASE("a job whose outcome the database refuses is given up, and other outcomes are written")
{
    Async f;
    f.postgres.query("CREATE TABLE notes (note text CHECK (note <> 'wrong')); GRANT ALL ON notes TO " +
                     f.postgres.service_role());
    auto const bad = f.add(core::ScopeId{2});
    for (auto const scope : testing::scopes({2, 2, 4, 6}))
        f.add(scope);
    f.record = [&](pg::Tx& tx, auto runs) {
        for (auto const* run : runs)
            tx.run("INSERT INTO notes VALUES ($1)", {run->claim.ref == bad ? "wrong" : "right"});
    };
    f.start();
    REQUIRE(eventually([&] { return f.begun == 5; }));
    f.end_all();
    REQUIRE(eventually([&] { return f.worker->in_flight() == 0; }));
    CHECK(f.jobs_left() == 0);
    CHECK(f.dead == 1);
    CHECK(eventually([&] { return f.finished == 5; }));
    CHECK(f.postgres.query("SELECT count(*) FROM notes") == "4");
    CHECK(f.postgres.query("SELECT ref FROM dead_jobs WHERE reason LIKE '%check constraint%'") ==
          bad.to_string());
}

TEST_CASE("a scope whose rows are locked does not delay outcomes of other scopes")
{
    Async f;
    f.postgres.query(
        R"(
        CREATE TABLE tallies (scope_id bigint PRIMARY KEY, n int);
        INSERT INTO tallies
        SELECT s, 0
        FROM generate_series(2, 9) AS s; GRANT ALL ON tallies TO
        )" +
        f.postgres.service_role());
    for (auto const scope : testing::scopes_between(2, 9))
        f.add(scope);
    f.record = [&](pg::Tx& tx, auto runs) {
        for (auto const* run : runs)
            tx.run("UPDATE tallies SET n = n + 1 WHERE scope_id = $1", {run->claim.scope_id});
    };
    pqxx::connection other(f.postgres.superuser_url());
    std::optional<pqxx::work> lock(other);
    lock->exec("SELECT FROM tallies WHERE scope_id = 4 FOR UPDATE");
    f.start();
    REQUIRE(eventually([&] { return f.begun == 8; }));
    f.end_all();
    CHECK(eventually([&] { return f.jobs_left() == 1; }));
    CHECK(f.postgres.query("SELECT sum(n) FROM tallies") == "7");
    lock.reset();
    CHECK(eventually([&] { return f.jobs_left() == 0; }));
    CHECK(f.postgres.query("SELECT sum(n) FROM tallies") == "8");
    CHECK(f.failed == 0);
}

TEST_CASE("outcomes wait for a database that is down")
{
    Async f;
    f.add_many(core::ScopeId{2}, 5);
    f.start();
    REQUIRE(eventually([&] { return f.begun == 5; }));
    f.postgres.stop();
    f.end_all();
    REQUIRE(eventually([&] { return f.failed > 0; }));
    f.postgres.start();
    CHECK(eventually([&] { return f.worker->in_flight() == 0; }));
    CHECK(f.jobs_left() == 0);
    CHECK(f.begun == 5);
}

TEST_CASE("an asynchronous worker that stops releases waiting jobs and starts no other jobs")
{
    Async f;
    f.add_many(core::ScopeId{2}, 5);
    f.start();
    REQUIRE(eventually([&] { return f.begun == 5; }));
    f.worker->stop();
    CHECK(f.worker->in_flight() == 0);
    CHECK(f.postgres.query("SELECT count(*) FROM jobs WHERE lease_owner IS NULL AND attempts = 0") == "5");
}

TEST_CASE("an asynchronous worker renews the leases of its jobs while they run")
{
    Async f;
    f.add(core::ScopeId{2});
    f.start(100, 6s);
    REQUIRE(eventually([&] { return f.begun == 1; }));
    auto const first_end = f.postgres.query("SELECT run_at FROM jobs");
    f.clock.advance(5s); // a lease is renewed every third of its duration
    REQUIRE(
        eventually([&] { return f.postgres.query("SELECT run_at > '" + first_end + "' FROM jobs") == "t"; }));
    f.clock.advance(5s);
    CHECK(f.claim_up_to(1).empty());
    f.end_all();
    CHECK(eventually([&] { return f.jobs_left() == 0; }));
    CHECK(f.lost == 0);
}

TEST_CASE("a job that is claimed again while its first run continues is a separate claim")
{
    Async f;
    f.add(core::ScopeId{2});
    f.start(100, 3h); // a lease so long that the worker does not renew it
    REQUIRE(eventually([&] { return f.begun == 1; }));
    f.clock.advance(3h);
    REQUIRE(eventually([&] { return f.begun == 2; }));
    CHECK(f.worker->in_flight() == 2);

    f.end_first();
    REQUIRE(eventually([&] { return f.worker->in_flight() == 1; }));
    CHECK(f.lost == 1);
    CHECK(f.jobs_left() == 1);
    f.end_first();
    REQUIRE(eventually([&] { return f.worker->in_flight() == 0; }));
    CHECK(f.lost == 1);
    CHECK(eventually([&] { return f.finished == 1; }));
    CHECK(f.jobs_left() == 0);
}
