#include "pg/admission_queue.hpp"
#include "support/scopes.hpp"

#include <string>
#include <vector>

// Scopes 2 and 3 belong to one tenant, 4 and 5 to another, 6 to a third.

using namespace std::chrono_literals;

namespace {

using Queue = pg::AdmissionQueue<int>;
using core::Owner;

/// A queue, and a clock that the test moves.
struct Fixture {
    explicit Fixture(pg::AdmissionQueueOptions options = {.threads = 5, .limit = 1000, .timeout = 3s})
        : queue(options)
    {
    }

    /// Pushes the job if the queue admits it. Returns whether the queue admitted it.
    bool ask(core::ScopeId scope_id, int job = 0)
    {
        auto const owner = Owner::of(scope_id);
        if (queue.refusal(owner, now)) return false;
        queue.push(owner, job, now);
        return true;
    }

    void push(core::ScopeId scope_id, int count)
    {
        for (int i = 0; i < count; ++i)
            queue.push(Owner::of(scope_id), i, now);
    }

    /// Starts a job and returns its scope, or 0 if no job may start.
    core::ScopeId start()
    {
        auto const taken = queue.take(now);
        return taken ? taken->first.scope : core::no_scope;
    }

    std::vector<core::ScopeId> start_all()
    {
        std::vector<core::ScopeId> started;
        for (auto scope = start(); scope != core::no_scope; scope = start())
            started.push_back(scope);
        return started;
    }

    /// Simulates a thread that runs `count` jobs of the scope. Each job takes `each`.
    void serve(core::ScopeId scope_id, int count, std::chrono::milliseconds each)
    {
        for (int i = 0; i < count; ++i) {
            REQUIRE(start() == scope_id);
            now += each;
            queue.finish(Owner::of(scope_id), each);
        }
    }

    Queue queue;
    Queue::Clock::time_point now{1h};
};

} // namespace

TEST_CASE("a share leaves a quarter and at least one unit to others, and a single unit is not shared")
{
    CHECK(core::share_of(0) == 0);
    CHECK(core::share_of(1) == 1);
    CHECK(core::share_of(2) == 1);
    CHECK(core::share_of(4) == 3);
    CHECK(core::share_of(5) == 4);
    CHECK(core::share_of(8) == 6);
}

TEST_CASE_METHOD(
    Fixture, "one environment leaves a thread to the other, and both leave a thread to other tenants")
{
    push(core::ScopeId{2}, 10);
    CHECK(start_all() == testing::scopes({2, 2, 2}));
    push(core::ScopeId{3}, 10);
    CHECK(start_all() == testing::scopes({3}));
    push(core::ScopeId{4}, 10);
    CHECK(start_all() == testing::scopes({4, 4, 4}));
    queue.finish(Owner::of(core::ScopeId{3}), 1ms);
    CHECK(start() == core::ScopeId{3}); // a freed thread is used again by the owner whose share has room
    queue.finish(Owner::of(core::ScopeId{2}), 1ms);
    CHECK(start() == core::ScopeId{2});
}

TEST_CASE_METHOD(Fixture, "jobs of no tenant or of several may use every thread, and jobs of one tenant's "
                          "two scopes only its share")
{
    for (int i = 0; i < 10; ++i)
        queue.push({.tenant = core::TenantId{1}}, i, now);
    int running = 0;
    while (queue.take(now))
        ++running;
    CHECK(running == 4);
    for (int i = 0; i < 10; ++i)
        queue.push({}, i, now);
    while (queue.take(now))
        ++running;
    CHECK(running == 14);
}

TEST_CASE("tenants take turns, and the environments of a tenant take turns")
{
    Fixture f({.threads = 100, .limit = 1000, .timeout = 3s});
    f.push(core::ScopeId{2}, 5);
    f.push(core::ScopeId{3}, 2);
    f.push(core::ScopeId{4}, 3);
    f.push(core::ScopeId{6}, 1);
    CHECK(f.start_all() == testing::scopes({2, 4, 6, 3, 4, 2, 4, 3, 2, 2, 2}));
}

TEST_CASE("an environment has a share of its tenant's places, and a tenant has a share of all places")
{
    Fixture f({.threads = 1, .limit = 16, .timeout = 3s});
    auto const admitted = [&](core::ScopeId scope_id) {
        int count = 0;
        while (f.ask(scope_id))
            ++count;
        return count;
    };
    CHECK(admitted(core::ScopeId{2}) == 9); // three quarters of 12
    CHECK(admitted(core::ScopeId{3}) == 3); // the remainder of three quarters of 16
    CHECK(admitted(core::ScopeId{4}) == 4); // the remainder of all places
    CHECK(f.queue.size() == 16);
    f.start();
    CHECK(admitted(core::ScopeId{6}) == 1);
}

TEST_CASE_METHOD(Fixture, "a burst that can be run in time is admitted, and a longer burst only in part")
{
    push(core::ScopeId{2}, 40);
    serve(core::ScopeId{2}, 40, 10ms); // the queue has now measured 10 ms per job
    push(core::ScopeId{2}, 20);
    serve(core::ScopeId{2}, 17, 10ms);
    int burst = 0;
    while (ask(core::ScopeId{2}))
        ++burst;
    // About the number of jobs of 10 ms that fit into half of 3 s, including the jobs that waited before.
    CHECK(burst > 120);
    CHECK(burst < 200);
    auto const deadline = now + 3s;
    serve(core::ScopeId{2}, burst + 3, 10ms);
    CHECK(now < deadline);
    CHECK(queue.remove_late(now).empty());
}

TEST_CASE_METHOD(Fixture, "a burst of a new scope is estimated from the recent duration of all jobs")
{
    push(core::ScopeId{4}, 50);
    serve(core::ScopeId{4}, 50, 60ms);
    int burst = 0;
    while (ask(core::ScopeId{2}))
        ++burst;
    // About the number of jobs of 60 ms that fit into 1.5 s on three threads, some of which may wait for each
    // other.
    CHECK(burst > 25);
    CHECK(burst < 75);
}

TEST_CASE_METHOD(Fixture, "jobs are refused if they would wait too long, and admitted jobs run in time")
{
    int refused = 0, served = 0;
    for (int ms = 0; ms < 10'000; ++ms, now += 1ms) {
        for (int i = 0; i < 2; ++i)
            if (!ask(core::ScopeId{2})) ++refused;
        if (ms % 20 == 0) {
            if (ms > 0) queue.finish(Owner::of(core::ScopeId{2}), 20ms);
            REQUIRE(start() == core::ScopeId{2}); // there is always a job to run
            ++served;
        }
        REQUIRE(queue.remove_late(now).empty());
    }
    CHECK(served == 500);
    CHECK(refused > 19'000);
    CHECK(queue.size() < 150);
}

TEST_CASE_METHOD(
    Fixture, "only a scope whose jobs hang is refused, not the tenant's other scope or other tenants")
{
    push(core::ScopeId{2}, 10);
    CHECK(start_all().size() == 3);
    now += 1400ms;
    CHECK(ask(core::ScopeId{2}));
    now += 200ms;
    CHECK_FALSE(ask(core::ScopeId{2}));
    CHECK(ask(core::ScopeId{3}));
    CHECK(ask(core::ScopeId{4}));
    queue.finish(Owner::of(core::ScopeId{2}), 1600ms);
    CHECK(start_all() == testing::scopes({2, 4, 3}));
}

TEST_CASE_METHOD(
    Fixture, "the first jobs of a tenant are not refused because of a few slow jobs of another tenant")
{
    push(core::ScopeId{4}, 60);
    serve(core::ScopeId{4}, 57, 10ms);
    for (int i = 0; i < 3; ++i)
        start();
    now += 10s;
    for (int i = 0; i < 3; ++i)
        queue.finish(Owner::of(core::ScopeId{4}), 10s);
    int burst = 0;
    while (ask(core::ScopeId{2}))
        ++burst;
    CHECK(burst > 50);
}

TEST_CASE_METHOD(Fixture, "a refusal contains the expected wait")
{
    push(core::ScopeId{2}, 400);
    serve(core::ScopeId{2}, 40, 10ms);
    auto const wait = queue.refusal(Owner::of(core::ScopeId{2}), now);
    REQUIRE(wait);
    CHECK(*wait > 3s);
    CHECK(*wait < 5s);
    CHECK_FALSE(queue.refusal(Owner::of(core::ScopeId{4}), now));
}

TEST_CASE("a reserved place counts like a waiting job until it is released")
{
    Fixture f({.threads = 1, .limit = 4, .timeout = 3s});
    auto const mine = Owner::of(core::ScopeId{2});
    f.queue.reserve(mine);
    CHECK(f.ask(core::ScopeId{2}));
    CHECK_FALSE(f.ask(core::ScopeId{2})); // the scope has two of the three places of its tenant
    CHECK(f.ask(core::ScopeId{3}));
    CHECK_FALSE(f.ask(core::ScopeId{3}));
    CHECK(f.ask(core::ScopeId{4}));
    CHECK_FALSE(f.ask(core::ScopeId{6}));
    f.queue.release(mine);
    CHECK(f.ask(core::ScopeId{2}));
    CHECK_FALSE(f.ask(core::ScopeId{2}));
}

TEST_CASE_METHOD(Fixture, "jobs that have waited longer than the limit are removed, and other jobs stay")
{
    push(core::ScopeId{2}, 2);
    push(core::ScopeId{4}, 1);
    now += 2s;
    push(core::ScopeId{2}, 1);
    push(core::ScopeId{6}, 1);
    now += 2s;
    CHECK(queue.remove_late(now).size() == 3);
    CHECK(queue.size() == 2);
    CHECK(start_all() == testing::scopes({2, 6}));
}

TEST_CASE_METHOD(Fixture, "after a job has expired, no job of its scope is accepted until one can start")
{
    push(core::ScopeId{2}, 4);
    CHECK(start_all().size() == 3);
    now += 3001ms;
    CHECK(queue.remove_late(now).size() == 1);
    CHECK_FALSE(ask(core::ScopeId{2}));
    CHECK(ask(core::ScopeId{3}));
    queue.finish(Owner::of(core::ScopeId{2}), 3s);
    CHECK(ask(core::ScopeId{2}));
    CHECK(start() == core::ScopeId{3});
    CHECK(start() == core::ScopeId{2});
}
