// Replicas whose clocks differ: the database's clock decides.
#include "jobs/async_worker.hpp"
#include "jobs/periodic.hpp"
#include "support/eventually.hpp"
#include "worker.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

using namespace jobs_test;
using jobs::AsyncWorker;
using jobs::Claim;
using jobs::Outcome;
using jobs::Worker;
using jobs::WorkerOptions;
using testing::eventually;

namespace {

/// The system's clock plus an offset.
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
                jobs::enqueue(tx, "q", core::ScopeId{2 + 2 * i}, core::Uuid::v7(), at);
        });
    }

    std::string left() const { return postgres.query("SELECT count(*) FROM jobs"); }

    /// Waits until `time` has passed by the database's clock. Returns false if this takes much longer by the
    /// clock of this process.
    bool outlast(std::chrono::seconds time) const
    {
        auto const begin = postgres.query("SELECT now()");
        return eventually([&] {
            return postgres.query("SELECT now() > '" + begin + "'::timestamptz + interval '" +
                                  std::to_string(time.count()) + " seconds'") == "t";
        });
    }

    /// Whether the only job has run once and is due in an hour, by the database's clock.
    bool is_put_off_by_an_hour() const
    {
        bool const has_run = eventually([&] {
            return postgres.query("SELECT count(*) FROM jobs WHERE attempts = 1 AND lease_owner IS NULL") ==
                   "1";
        });
        return has_run && postgres.query(R"(
            SELECT abs(extract(epoch FROM run_at - now() - interval '1 hour')) < 30
            FROM jobs)") == "t";
    }

    /// The number of starts of each job, by any replica.
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

TEST_CASE("a replica whose clock is a minute ahead or behind starts no job that another replica runs")
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
    // Both replicas have free threads. Without renewals every lease would end during this wait.
    REQUIRE(f.outlast(7s));
    gate.open();
    CHECK(eventually([&] { return f.left() == "0"; }));
    CHECK(f.most() == 1);
    CHECK(f.lost == 0);
}

TEST_CASE("the delay that a handler requests is measured by the database's clock")
{
    TwoReplicas f;
    f.add(1, f.right.now() - 2min);
    Worker const worker(f.database, f.wrong, quick(1), [&](Claim const& claim, std::stop_token const&) {
        f.note(claim);
        return Outcome::retry(f.wrong.now() + 1h);
    });
    CHECK(f.is_put_off_by_an_hour());
}

TEST_CASE(
    "a replica whose clock is a minute ahead or behind starts no asynchronous job that another replica runs")
{
    TwoReplicas f;
    f.add(16, f.right.now() - 1min);
    std::mutex mutex;
    std::vector<std::pair<AsyncWorker*, Claim>> running;
    auto const end_all = [&] {
        std::lock_guard const lock(mutex);
        for (auto& [worker, claim] : std::exchange(running, {}))
            worker->finish({.claim = std::move(claim)});
    };
    jobs::AsyncHandler const handler{
        .begin =
            [&](std::vector<Claim> claims, AsyncWorker& self, std::stop_token const&) {
                std::lock_guard const lock(mutex);
                for (auto& claim : claims) {
                    f.note(claim);
                    running.emplace_back(&self, std::move(claim));
                }
            },
        .record = [](auto&&...) {},
        .stop = [&](AsyncWorker&) { end_all(); }};
    jobs::AsyncWorkerOptions const options{.queue = "q", .lease = 6s, .poll = 20ms, .takeover_delay = 0ms};
    jobs::Hooks const hooks{.lost = [&](Claim const&) { ++f.lost; }};
    AsyncWorker one(f.database, f.right, options, handler, hooks);
    AsyncWorker two(f.database, f.wrong, options, handler, hooks);
    bool const all_begun = eventually([&] { return f.jobs_begun() == 16; });
    bool const renewed = f.outlast(7s); // without renewals every lease would have ended
    CHECK(all_begun);
    CHECK(renewed);
    end_all();
    CHECK(eventually([&] { return f.left() == "0"; }));
    CHECK(f.most() == 1);
    CHECK(f.lost == 0);
}

TEST_CASE("the delay that an asynchronous job requests is measured by the database's clock")
{
    TwoReplicas f;
    f.add(1, f.right.now() - 2min);
    jobs::AsyncHandler const handler{
        .begin =
            [&](std::vector<Claim> claims, AsyncWorker& self, std::stop_token const&) {
                for (auto& claim : claims)
                    self.finish({.claim = std::move(claim),
                        .kind = Outcome::Kind::retry,
                        .run_at = f.wrong.now() + 1h});
            },
        .record = [](auto&&...) {}};
    AsyncWorker const worker(
        f.database, f.wrong, {.queue = "q", .poll = 20ms, .takeover_delay = 0ms}, handler);
    CHECK(f.is_put_off_by_an_hour());
}

TEST_CASE("with a wrong system clock a periodic task neither runs early nor is taken over")
{
    Fixture f; // the database's clock stands still, and the system clock runs
    Gate gate;
    std::atomic<int> runs = 0;
    auto const step = [&](std::stop_token const&) {
        ++runs;
        gate.pass_blocking();
        return false;
    };
    jobs::PeriodicOptions const options{.name = "purge", .interval = 50ms, .lease = 50ms, .poll = 10ms};
    jobs::Periodic const one(f.database, options, step);
    OpenAtEnd const guard{gate};
    REQUIRE(eventually([&] { return runs == 1; }));
    jobs::Periodic const two(f.database, options, step);
    OpenAtEnd const guard_of_two{gate};
    std::this_thread::sleep_for(300ms); // by the system's clock the lease has ended
    CHECK(runs == 1);
    gate.open();
    REQUIRE(eventually([&] {
        return f.postgres.query("SELECT count(*) FROM periodic_tasks WHERE lease_owner IS NULL") == "1";
    }));
    std::this_thread::sleep_for(300ms); // by the system's clock the interval is over
    CHECK(runs == 1);
    f.clock.advance(50ms);
    CHECK(eventually([&] { return runs == 2; }));
}
