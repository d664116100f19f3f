#include "jobs/worker.hpp"

#include "fixture.hpp"
#include "testing/eventually.hpp"
#include "testing/process.hpp"

#include <pqxx/except>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <set>
#include <thread>

using namespace jobs_test;
using jobs::Claim;
using jobs::Outcome;
using jobs::Worker;
using jobs::WorkerOptions;
using testing::eventually;

namespace {

/// A door that handlers wait at.
class Gate {
public:
    void pass()
    {
        std::unique_lock lock(mutex_);
        ++waiting_;
        changed_.wait(lock, [&] { return open_; });
    }

    void open()
    {
        std::lock_guard const lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }

    int waiting() const
    {
        std::lock_guard const lock(mutex_);
        return waiting_;
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = false;
    int waiting_ = 0;
};

/// Lets everybody through when a test ends early, since a worker waits for its handlers.
struct OpenAtEnd {
    Gate& gate;

    ~OpenAtEnd() { gate.open(); }
};

WorkerOptions quick(unsigned threads = 4)
{
    return {.queue = "q", .threads = threads, .lease = 60s, .poll = 20ms};
}

} // namespace

TEST_CASE("each outcome ends a job in its way, together with what it records")
{
    Fixture f;
    f.postgres.query("CREATE TABLE notes (scope_id bigint, ref uuid, note text); GRANT ALL ON notes TO " +
                     f.postgres.service_role());
    auto const note = [](Claim const& c, char const* text) {
        return [c, text](pg::Tx& tx) {
            tx.run("INSERT INTO notes VALUES (current_setting('app.scopes')::bigint, $1, $2)", {c.ref, text});
        };
    };
    auto const done = f.add(2);
    auto const retried = f.add(4);
    auto const dead = f.add(6);
    std::mutex mutex;
    std::multiset<std::string> outcomes;
    auto const handler = [&](Claim const& c, std::stop_token const&) {
        if (c.ref == done) return Outcome::done(note(c, "done"));
        if (c.ref == dead) return Outcome::dead(note(c, "dead"));
        return c.attempts == 1 ? Outcome::retry(f.clock.now() + 1h, note(c, "later")) : Outcome::done();
    };
    Worker worker(f.database, f.clock, quick(), handler, {.finished = [&](Outcome::Kind kind, auto) {
        std::lock_guard const lock(mutex);
        outcomes.insert(std::string(to_string(kind)));
    }});
    auto const seen = [&](std::multiset<std::string> const& expected) {
        std::lock_guard const lock(mutex);
        return outcomes == expected;
    };
    CHECK(eventually([&] { return seen({"done", "retry", "dead"}); }));
    CHECK(f.jobs_left() == 1);
    f.clock.advance(1h);
    CHECK(eventually([&] { return seen({"done", "done", "retry", "dead"}); }));
    CHECK(f.jobs_left() == 0);
    CHECK(f.postgres.query("SELECT string_agg(scope_id || note, ',' ORDER BY scope_id) FROM notes") ==
          "2done,4later,6dead");
    CHECK(f.postgres.query("SELECT count(*) FROM notes WHERE ref = '" + retried.to_string() + "'") == "1");
}

TEST_CASE("two workers run a thousand jobs, each exactly once")
{
    Fixture f;
    pg::Database other({.url = f.postgres.service_url(), .application_name = "other", .threads = 4});
    f.tx([&](pg::Tx& t) {
        for (std::int64_t scope = 2; scope < 12; ++scope) {
            std::vector<core::Uuid> refs(100);
            for (auto& ref : refs)
                ref = core::Uuid::v7();
            jobs::enqueue(t, "q", scope, refs, f.clock.now());
        }
    });
    std::mutex mutex;
    std::map<core::Uuid, int> runs;
    std::atomic<int> by_first = 0;
    std::atomic<int> by_second = 0;
    std::atomic<int> lost = 0;
    auto const handler = [&](std::atomic<int>& count) {
        return [&](Claim const& c, std::stop_token const&) {
            std::lock_guard const lock(mutex);
            ++runs[c.ref];
            ++count;
            return Outcome::done();
        };
    };
    jobs::Hooks const hooks{.lost = [&] { ++lost; }};
    Worker first(f.database, f.clock, quick(), handler(by_first), hooks);
    Worker second(other, f.clock, quick(), handler(by_second), hooks);
    REQUIRE(eventually([&] { return f.jobs_left() == 0; }, 60s));
    first.stop();
    second.stop();
    CHECK(runs.size() == 1000);
    CHECK(std::ranges::all_of(runs, [](auto const& r) { return r.second == 1; }));
    CHECK(lost == 0);
    CHECK(by_first > 0);
    CHECK(by_second > 0);
}

TEST_CASE("a flood of one scope does not keep others waiting")
{
    Fixture f;
    Gate gate;
    for (int i = 0; i < 50; ++i)
        f.add(2);
    std::atomic<int> small = 0;
    Worker worker(f.database, f.clock, quick(4), [&](Claim const& c, std::stop_token const&) {
        if (c.scope_id == 2) {
            gate.pass();
        } else {
            ++small;
        }
        return Outcome::done();
    });
    OpenAtEnd const guard{gate};
    REQUIRE(eventually([&] { return gate.waiting() == 2; }));
    for (std::int64_t scope = 4; scope < 24; ++scope)
        f.add(scope);
    worker.wake();
    CHECK(eventually([&] { return small == 20; }));
    CHECK(gate.waiting() == 2); // half of the threads, and no more
    gate.open();
    CHECK(eventually([&] { return f.jobs_left() == 0; }));
}

TEST_CASE("a worker wakes for its own queue, without waiting for the next poll")
{
    Fixture f;
    std::atomic<int> ran = 0;
    WorkerOptions options = quick(1);
    options.poll = 1h;
    Worker worker(f.database, f.clock, options, [&](Claim const&, std::stop_token const&) {
        ++ran;
        return Outcome::done();
    });
    // The first look finds the queue empty; then only a wake-up helps.
    std::this_thread::sleep_for(200ms);
    f.add(2);
    worker.on_notification("another queue");
    std::this_thread::sleep_for(100ms);
    CHECK(ran == 0);
    worker.on_notification("q");
    CHECK(eventually([&] { return ran == 1; }));
    // As many as there are, one after the other, on one wake-up.
    for (int i = 0; i < 10; ++i)
        f.add(2 + i);
    worker.on_notification("q");
    CHECK(eventually([&] { return ran == 11; }));
}

TEST_CASE("what a handler throws is a retry with back-off")
{
    Fixture f;
    f.add(2);
    std::atomic<int> runs = 0;
    std::mutex mutex;
    std::vector<std::string> failures;
    Worker const worker(f.database, f.clock, quick(1),
        [&](Claim const& c, std::stop_token const&) -> Outcome {
            ++runs;
            if (c.attempts < 3) throw std::runtime_error("attempt " + std::to_string(c.attempts));
            return Outcome::done();
        },
        {.failed = [&](std::string_view what) {
            std::lock_guard const lock(mutex);
            failures.emplace_back(what);
        }});
    CHECK(eventually([&] { return runs == 1; }));
    std::this_thread::sleep_for(100ms);
    CHECK(runs == 1); // not before the pause is over
    f.clock.advance(1s);
    CHECK(eventually([&] { return runs == 2; }));
    CHECK(eventually([&] {
        f.clock.advance(2s);
        return f.jobs_left() == 0;
    }));
    std::lock_guard const lock(mutex);
    CHECK(failures == std::vector<std::string>{"attempt 1", "attempt 2"});
}

TEST_CASE("a record that fails undoes the outcome, and the job runs again")
{
    Fixture f;
    f.add(2);
    std::atomic<int> runs = 0;
    Worker const worker(f.database, f.clock, quick(1), [&](Claim const&, std::stop_token const&) {
        return ++runs == 1 ? Outcome::done([](pg::Tx& tx) { tx.run("SELECT * FROM no_such_table"); })
                           : Outcome::done();
    });
    CHECK(eventually([&] { return runs == 1; }));
    CHECK(eventually([&] {
        f.clock.advance(1s);
        return f.jobs_left() == 0;
    }));
    CHECK(runs == 2);
}

TEST_CASE("a worker whose lease went to another writes nothing")
{
    Fixture f;
    f.postgres.query("CREATE TABLE notes (note text); GRANT ALL ON notes TO " + f.postgres.service_role());
    f.add(2);
    Gate gate;
    std::atomic<int> lost = 0;
    std::atomic<int> runs = 0;
    WorkerOptions options = quick(1);
    options.poll = 1h; // so that it does not renew
    options.lease = 3h;
    auto const record = [](pg::Tx& tx) { tx.run("INSERT INTO notes VALUES ('written')"); };
    Worker slow(f.database, f.clock, options,
        [&](Claim const&, std::stop_token const&) {
            gate.pass();
            return Outcome::done(record);
        },
        {.lost = [&] { ++lost; }});
    OpenAtEnd const guard{gate};
    REQUIRE(eventually([&] { return gate.waiting() == 1; }));
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

TEST_CASE("a handler may take longer than the lease: it is renewed")
{
    Fixture f;
    f.add(2);
    Gate gate;
    std::atomic<int> lost = 0;
    Worker first(f.database, f.clock, quick(1),
        [&](Claim const&, std::stop_token const&) {
            gate.pass();
            return Outcome::done();
        },
        {.lost = [&] { ++lost; }});
    OpenAtEnd const guard{gate};
    REQUIRE(eventually([&] { return gate.waiting() == 1; }));
    std::atomic<int> stolen = 0;
    Worker const second(f.database, f.clock, quick(1), [&](Claim const&, std::stop_token const&) {
        ++stolen;
        return Outcome::done();
    });
    auto const lease_end = [&] { return f.postgres.query("SELECT run_at FROM jobs"); };
    for (int i = 0; i < 6; ++i) { // three leases long
        std::string const before = lease_end();
        f.clock.advance(30s);
        REQUIRE(eventually([&] { return lease_end() != before; }));
    }
    gate.open();
    CHECK(eventually([&] { return f.jobs_left() == 0; }));
    CHECK(stolen == 0);
    CHECK(lost == 0);
}

TEST_CASE("the job of a killed process is run by another when its lease has ended")
{
    Fixture f;
    core::SystemClock const clock;
    f.postgres.query("CREATE TABLE witness (who text, ref uuid, attempts int); GRANT ALL ON witness TO " +
                     f.postgres.service_role());
    core::Uuid const ref = core::Uuid::v7();
    f.tx([&](pg::Tx& t) { jobs::enqueue(t, "crash", 2, ref, clock.now()); });
    testing::Process victim({.argv = {JOBS_VICTIM, f.postgres.service_url()}});
    REQUIRE(eventually([&] { return f.postgres.query("SELECT who FROM witness") == "victim"; }));
    // It renews, so the job stays with it for longer than its lease of a second.
    std::atomic<unsigned> attempts = 0;
    Worker const survivor(f.database, clock, {.queue = "crash", .threads = 1, .poll = 20ms},
        [&](Claim const& c, std::stop_token const&) {
            attempts = c.attempts;
            return Outcome::done();
        });
    std::this_thread::sleep_for(1500ms);
    CHECK(attempts == 0);
    victim.signal(SIGKILL);
    REQUIRE(victim.wait());
    CHECK(eventually([&] { return attempts == 2; }, 5s));
    CHECK(eventually([&] { return f.jobs_left() == 0; }));
}

TEST_CASE("stopping finishes what runs and claims nothing more")
{
    Fixture f;
    for (int i = 0; i < 20; ++i)
        f.add(2 + i);
    Gate gate;
    std::atomic<int> stopped_early = 0;
    Worker worker(f.database, f.clock, quick(2), [&](Claim const&, std::stop_token const& stop) {
        gate.pass();
        if (stop.stop_requested()) ++stopped_early;
        return Outcome::done();
    });
    OpenAtEnd const guard{gate};
    REQUIRE(eventually([&] { return gate.waiting() == 2; }));
    CHECK(worker.in_flight() == 2);
    worker.request_stop();
    std::jthread const opener([&] {
        std::this_thread::sleep_for(50ms);
        gate.open();
    });
    worker.stop();
    CHECK(stopped_early == 2);
    CHECK(worker.in_flight() == 0);
    CHECK(f.jobs_left() == 18);
    CHECK(f.postgres.query("SELECT count(*) FROM jobs WHERE lease_owner IS NOT NULL OR attempts > 0") == "0");
}

TEST_CASE("a worker outlives its database")
{
    Fixture f;
    f.add(2);
    Gate gate;
    std::atomic<int> runs = 0;
    std::atomic<int> complaints = 0;
    Worker worker(f.database, f.clock, quick(1),
        [&](Claim const&, std::stop_token const&) {
            if (++runs == 1) gate.pass();
            return Outcome::done();
        },
        {.failed = [&](std::string_view) { ++complaints; }});
    OpenAtEnd const guard{gate};
    REQUIRE(eventually([&] { return gate.waiting() == 1; }));
    f.postgres.stop();
    gate.open(); // its outcome cannot be written now
    std::this_thread::sleep_for(1s);
    CHECK(runs == 1);
    CHECK(complaints <= 3); // once a thread and outage, not once a try
    f.postgres.start();
    CHECK(eventually([&] { return f.jobs_left() == 0; }, 20s));
    CHECK(runs == 1); // the outcome was kept until it could be written
    f.add(4);
    CHECK(eventually([&] { return f.jobs_left() == 0; }, 20s));
    CHECK(runs == 2);
}

TEST_CASE("stopping does not wait for a database that is away")
{
    Fixture f;
    f.add(2);
    Gate gate;
    Worker worker(f.database, f.clock, quick(1), [&](Claim const&, std::stop_token const&) {
        gate.pass();
        return Outcome::done();
    });
    OpenAtEnd const guard{gate};
    REQUIRE(eventually([&] { return gate.waiting() == 1; }));
    f.postgres.stop();
    gate.open();
    auto const begin = std::chrono::steady_clock::now();
    worker.stop();
    CHECK(std::chrono::steady_clock::now() - begin < 8s);
    f.postgres.start();
    CHECK(eventually([&] { return f.jobs_left() == 1; })); // it will run again, after the lease
}
