// A worker that is stopped, and a worker that runs while its database is stopped.
#include "support/eventually.hpp"
#include "worker.hpp"

#include <atomic>
#include <future>
#include <thread>

using namespace jobs_test;
using jobs::Claim;
using jobs::Outcome;
using jobs::Worker;
using testing::eventually;

TEST_CASE("a worker that stops finishes running jobs and claims no other jobs")
{
    Fixture f;
    for (int i = 0; i < 20; ++i)
        f.add(core::ScopeId{2 + i});
    Gate gate;
    std::atomic<int> stopped_early = 0;
    Worker worker(f.database, f.clock, quick(2), [&](Claim const&, std::stop_token const& stop) {
        gate.pass_blocking();
        if (stop.stop_requested()) ++stopped_early;
        return Outcome::done();
    });
    OpenAtEnd const guard{gate};
    REQUIRE(eventually([&] { return gate.arrived() == 2; }));
    worker.request_stop();
    auto stopping = std::async(std::launch::async, [&] { worker.stop(); });
    gate.open();
    stopping.get();
    CHECK(stopped_early == 2);
    CHECK(f.jobs_left() == 18);
    CHECK(f.postgres.query("SELECT count(*) FROM jobs WHERE lease_owner IS NOT NULL OR attempts > 0") == "0");
}

TEST_CASE("a worker survives an outage of its database")
{
    Fixture f;
    f.add(core::ScopeId{2});
    Gate gate;
    std::atomic<int> runs = 0;
    std::atomic<int> complaints = 0;
    Worker worker(f.database, f.clock, quick(1),
        [&](Claim const&, std::stop_token const&) {
            if (++runs == 1) gate.pass_blocking();
            return Outcome::done();
        },
        {.failed = [&](std::string_view, Claim const*) { ++complaints; }});
    OpenAtEnd const guard{gate};
    REQUIRE(eventually([&] { return gate.arrived() == 1; }));
    f.postgres.stop();
    gate.open(); // its outcome cannot be written now
    CHECK(eventually([&] { return complaints > 0; }));
    std::this_thread::sleep_for(1s); // long enough for several attempts to write the outcome
    CHECK(runs == 1);
    CHECK(complaints <= 3); // one report per thread and outage, not one per attempt
    f.postgres.start();
    CHECK(eventually([&] { return f.jobs_left() == 0; }));
    CHECK(runs == 1); // the outcome was kept until it could be written
    f.add(core::ScopeId{4});
    CHECK(eventually([&] { return f.jobs_left() == 0; }));
    CHECK(runs == 2);
}

TEST_CASE("a worker that stops does not wait for a database that is down")
{
    Fixture f;
    f.add(core::ScopeId{2});
    Gate gate;
    Worker worker(f.database, f.clock, quick(1), [&](Claim const&, std::stop_token const&) {
        gate.pass_blocking();
        return Outcome::done();
    });
    OpenAtEnd const guard{gate};
    REQUIRE(eventually([&] { return gate.arrived() == 1; }));
    f.postgres.stop();
    gate.open();
    worker.stop();
    f.postgres.start();
    CHECK(eventually([&] { return f.jobs_left() == 1; })); // the job will run again when its lease ends
}
