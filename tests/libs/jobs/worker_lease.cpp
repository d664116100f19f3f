// Leases that are lost, leases that are renewed, and leases of a process that was killed.
#include "support/database_clock.hpp"
#include "support/eventually.hpp"
#include "support/process.hpp"
#include "worker.hpp"

#include <atomic>
#include <csignal>

using namespace jobs_test;
using jobs::Claim;
using jobs::Outcome;
using jobs::Worker;
using jobs::WorkerOptions;
using testing::eventually;

TEST_CASE("a worker whose lease was taken over writes nothing")
{
    Fixture f;
    f.postgres.query("CREATE TABLE notes (note text); GRANT ALL ON notes TO " + f.postgres.service_role());
    f.add(core::ScopeId{2});
    Gate gate;
    std::atomic<int> lost = 0;
    std::atomic<int> runs = 0;
    WorkerOptions options = quick(1);
    options.poll = 1h; // so that the worker does not renew the lease
    options.lease = 3h;
    auto const record = [](pg::Tx& tx) { tx.run("INSERT INTO notes VALUES ('written')"); };
    Worker slow(f.database, f.clock, options,
        [&](Claim const&, std::stop_token const&) {
            gate.pass_blocking();
            return Outcome::done(record);
        },
        {.lost = [&](Claim const&) { ++lost; }});
    OpenAtEnd const guard{gate};
    REQUIRE(eventually([&] { return gate.arrived() == 1; }));
    f.clock.advance(3h);
    {
        Worker const second(f.database, f.clock, quick(1), [&](Claim const& c, std::stop_token const&) {
            runs = static_cast<int>(c.attempts);
            return Outcome::done(record);
        });
        REQUIRE(eventually([&] { return f.jobs_left() == 0; }));
    }
    gate.open();
    CHECK(eventually([&] { return lost == 1; }));
    CHECK(runs == 2);
    CHECK(f.postgres.query("SELECT count(*) FROM notes") == "1");
}

TEST_CASE("another process runs the job of a killed process when the lease has ended")
{
    Fixture f;
    core::SystemClock const clock;
    testing::free_database(f.postgres);
    f.postgres.query("CREATE TABLE witness (who text, ref uuid, attempts int); GRANT ALL ON witness TO " +
                     f.postgres.service_role());
    core::Uuid const ref = core::Uuid::v7();
    f.tx([&](pg::Tx& t) { jobs::enqueue(t, "crash", core::ScopeId{2}, ref, clock.now()); });
    testing::Process hanging({.argv = {HANGING_WORKER, f.postgres.service_url()}});
    REQUIRE(eventually([&] { return f.postgres.query("SELECT who FROM witness") == "victim"; }));
    // The worker renews the lease, so it holds the job for longer than its first lease.
    auto const lease_end = f.postgres.query("SELECT run_at FROM jobs");
    std::atomic<unsigned> attempts = 0;
    Worker const survivor(f.database, clock,
        {.queue = "crash", .threads = 1, .poll = 20ms, .takeover_delay = 0ms},
        [&](Claim const& c, std::stop_token const&) {
            attempts = c.attempts;
            return Outcome::done();
        });
    CHECK(eventually([&] { return f.postgres.query("SELECT now() > '" + lease_end + "'") == "t"; }));
    CHECK(attempts == 0);
    hanging.signal(SIGKILL);
    REQUIRE(hanging.wait());
    CHECK(eventually([&] { return attempts == 2; }));
    CHECK(eventually([&] { return f.jobs_left() == 0; }));
}
