#include "jobs/periodic.hpp"

#include "fixture.hpp"
#include "support/eventually.hpp"

#include <atomic>
#include <mutex>
#include <thread>

using namespace jobs_test;
using jobs::Periodic;
using jobs::PeriodicOptions;
using testing::eventually;

namespace {

PeriodicOptions hourly()
{
    return {.name = "purge", .interval = 1h, .lease = 10min, .poll = 10ms};
}

/// Whether the end of the last run has been recorded. Only then is the time of the next run known.
bool is_over(Fixture const& f)
{
    return f.postgres.query("SELECT count(*) FROM periodic_tasks WHERE lease_owner IS NULL") == "1";
}

} // namespace

TEST_CASE("a periodic task runs once per interval for any number of replicas")
{
    Fixture f;
    std::atomic<int> runs = 0;
    auto const step = [&](std::stop_token const&) {
        ++runs;
        return false;
    };
    Periodic const a(f.database, hourly(), step);
    Periodic const b(f.database, hourly(), step);
    Periodic const c(f.database, hourly(), step);
    for (int expected = 1; expected <= 3; ++expected) {
        CHECK(eventually([&] { return runs == expected; }));
        CHECK(eventually([&] { return is_over(f); }));
        std::this_thread::sleep_for(100ms); // time in which another run could start
        CHECK(runs == expected);
        f.clock.advance(1h);
    }
}

TEST_CASE("a task continues while there is more to do")
{
    Fixture f;
    std::atomic<int> steps = 0;
    Periodic const task(f.database, hourly(), [&](std::stop_token const&) { return ++steps < 5; });
    CHECK(eventually([&] { return steps == 5; }));
    std::this_thread::sleep_for(100ms); // time in which the task could continue
    CHECK(steps == 5);
}

TEST_CASE("a task that throws is reported and runs again after the interval")
{
    Fixture f;
    std::atomic<int> runs = 0;
    std::mutex mutex;
    std::vector<std::string> failures;
    Periodic const task(
        f.database, hourly(),
        [&](std::stop_token const&) -> bool { throw std::runtime_error("run " + std::to_string(++runs)); },
        [&](std::string_view what) {
            std::lock_guard const lock(mutex);
            failures.emplace_back(what);
        });
    CHECK(eventually([&] { return runs == 1 && is_over(f); }));
    std::this_thread::sleep_for(100ms); // time in which the task could run again
    CHECK(runs == 1);
    f.clock.advance(1h);
    CHECK(eventually([&] {
        std::lock_guard const lock(mutex);
        return failures == std::vector<std::string>{"run 1", "run 2"};
    }));
}

TEST_CASE("when the lease of a dead replica ends, another replica runs the task")
{
    Fixture f;
    f.tx([&](pg::Tx& t) {
        t.run("INSERT INTO periodic_tasks (name, next_at, lease_owner) VALUES ('purge', $1, $2)",
            {f.clock.now() + 10min, core::Uuid::v7()});
    });
    std::atomic<int> runs = 0;
    Periodic const task(f.database, hourly(), [&](std::stop_token const&) {
        ++runs;
        return false;
    });
    std::this_thread::sleep_for(100ms); // time in which the task could run
    CHECK(runs == 0);
    f.clock.advance(10min);
    CHECK(eventually([&] { return runs == 1; }));
}

TEST_CASE("a task that a shutdown has interrupted is due for the next replica")
{
    Fixture f;
    std::atomic<int> steps = 0;
    {
        Periodic task(f.database, hourly(), [&](std::stop_token const& stop) {
            ++steps;
            while (!stop.stop_requested())
                std::this_thread::sleep_for(1ms);
            return true;
        });
        REQUIRE(eventually([&] { return steps == 1; }));
        task.stop();
    }
    Periodic const next(f.database, hourly(), [&](std::stop_token const&) {
        ++steps;
        return false;
    });
    CHECK(eventually([&] { return steps == 2; }));
}
