// Replicas whose clocks disagree: the database's decides.
#include "jobs/periodic.hpp"
#include "testing/eventually.hpp"
#include "worker.hpp"

#include <atomic>
#include <map>
#include <mutex>

using namespace jobs_test;
using jobs::Claim;
using jobs::Outcome;
using jobs::Worker;
using jobs::WorkerOptions;
using testing::eventually;

namespace {

/// The system's clock, so much ahead.
class Skewed final : public core::Clock {
public:
    explicit Skewed(std::chrono::seconds ahead) : ahead_(ahead) {}

    core::Time now() const override { return core::SystemClock().now() + ahead_; }

private:
    std::chrono::seconds const ahead_;
};

struct TwoReplicas {
    testing::Postgres postgres = testing::Postgres::migrated({&jobs::migrations()}, "jobs");
    pg::Database database{{.url = postgres.service_url(), .application_name = "test", .threads = 4}};
    Skewed right{0s};
    Skewed wrong{GENERATE(60s, -60s)};

    void add(int count, core::Time at)
    {
        database.transact_blocking(pg::Scopes{}, [&](pg::Tx& tx) {
            for (int i = 0; i < count; ++i)
                jobs::enqueue(tx, "q", 2 + 2 * i, core::Uuid::v7(), at);
        });
    }

    std::string left() const { return postgres.query("SELECT count(*) FROM jobs"); }

    /// How often each job was begun, by any replica.
    std::map<core::Uuid, int> begun;
    std::mutex mutex;
    std::atomic<int> lost = 0;

    void note(Claim const& claim)
    {
        std::lock_guard const lock(mutex);
        ++begun[claim.ref];
    }

    int most()
    {
        std::lock_guard const lock(mutex);
        int most = 0;
        for (auto const& [ref, runs] : begun)
            most = std::max(most, runs);
        return most;
    }

    std::size_t jobs_begun()
    {
        std::lock_guard const lock(mutex);
        return begun.size();
    }
};

} // namespace

TEST_CASE("a replica a minute ahead or behind begins no job that another runs")
{
    TwoReplicas f;
    f.add(16, f.right.now() - 1min);
    WorkerOptions options = quick(12);
    options.lease = 6s;
    Gate gate;
    auto const handler = [&](Claim const& claim, std::stop_token const&) {
        f.note(claim);
        gate.pass_blocking();
        return Outcome::done();
    };
    jobs::Hooks const hooks{.lost = [&](Claim const&) { ++f.lost; }};
    Worker const one(f.database, f.right, options, handler, hooks);
    Worker const two(f.database, f.wrong, options, handler, hooks);
    OpenAtEnd const guard{gate};
    REQUIRE(eventually([&] { return f.jobs_begun() == 16; }));
    // Both have threads left. Until every lease of the beginning would have ended: they are renewed.
    auto const now = f.postgres.query("SELECT now()");
    REQUIRE(eventually([&] {
        return f.postgres.query("SELECT now() > '" + now + "'::timestamptz + interval '7 seconds'") == "t";
    }));
    gate.open();
    CHECK(eventually([&] { return f.left() == "0"; }));
    CHECK(f.most() == 1);
    CHECK(f.lost == 0);
}

TEST_CASE("a delay that a handler asks for lasts as long by the database's clock")
{
    TwoReplicas f;
    f.add(1, f.right.now() - 2min);
    Worker const worker(f.database, f.wrong, quick(1), [&](Claim const& claim, std::stop_token const&) {
        f.note(claim);
        return Outcome::retry(f.wrong.now() + 1h);
    });
    REQUIRE(eventually([&] {
        return f.postgres.query("SELECT count(*) FROM jobs WHERE attempts = 1 AND lease_owner IS NULL") ==
               "1";
    }));
    CHECK(f.postgres.query("SELECT abs(extract(epoch FROM run_at - now() - interval '1 hour')) < 30 "
                           "FROM jobs") == "t");
}

TEST_CASE("a replica a minute ahead or behind runs no periodic task early, or beside another")
{
    TwoReplicas f;
    Gate gate;
    std::atomic<int> runs = 0;
    auto const step = [&](std::stop_token const&) {
        ++runs;
        gate.pass_blocking();
        return false;
    };
    jobs::PeriodicOptions const options{.name = "purge", .interval = 30s, .lease = 30s, .poll = 10ms};
    jobs::Periodic const one(f.database, options, step);
    OpenAtEnd const guard{gate};
    REQUIRE(eventually([&] { return runs == 1; }));
    {
        jobs::Periodic const two(f.database, options, step);
        std::this_thread::sleep_for(200ms); // in which it looks twenty times
        CHECK(runs == 1);
        gate.open();
        REQUIRE(eventually([&] {
            return f.postgres.query("SELECT count(*) FROM periodic_tasks WHERE lease_owner IS NULL") == "1";
        }));
        std::this_thread::sleep_for(200ms);
        CHECK(runs == 1);
    }
}
