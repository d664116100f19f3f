#include "jobs/periodic.hpp"

#include "fixture.hpp"
#include "testing/eventually.hpp"

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

/// Whether the last run has been written down as ended, so that the next one's time is known.
bool is_over(Fixture const& f)
{
    return f.postgres.query("SELECT count(*) FROM periodic_tasks WHERE lease_owner IS NULL") == "1";
}

} // namespace

TEST_CASE("a periodic task runs once an interval, whatever the number of replicas")
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
        std::this_thread::sleep_for(100ms); // in which another could run
        CHECK(runs == expected);
        f.clock.advance(1h);
    }
}

TEST_CASE("a task runs on while there is more to do")
{
    Fixture f;
    std::atomic<int> steps = 0;
    Periodic const task(f.database, hourly(), [&](std::stop_token const&) { return ++steps < 5; });
    CHECK(eventually([&] { return steps == 5; }));
    std::this_thread::sleep_for(100ms); // in which it could go on
    CHECK(steps == 5);
}

TEST_CASE("a task that throws is reported and comes again after the interval")
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
    std::this_thread::sleep_for(100ms); // in which it could come again
    CHECK(runs == 1);
    f.clock.advance(1h);
    CHECK(eventually([&] {
        std::lock_guard const lock(mutex);
        return failures == std::vector<std::string>{"run 1", "run 2"};
    }));
}

TEST_CASE("the lease of a replica that died ends, and another runs the task")
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
    std::this_thread::sleep_for(100ms); // in which it could run
    CHECK(runs == 0);
    f.clock.advance(10min);
    CHECK(eventually([&] { return runs == 1; }));
}

TEST_CASE("a task that was cut short by a shutdown is due for the next replica")
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
