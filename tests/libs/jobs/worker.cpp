#include "worker.hpp"

#include "support/eventually.hpp"
#include "support/scopes.hpp"

#include <pqxx/except>

#include <atomic>
#include <set>
#include <thread>

using namespace jobs_test;
using jobs::Claim;
using jobs::Outcome;
using jobs::Worker;
using jobs::WorkerOptions;
using testing::eventually;

TEST_CASE("each outcome ends a job in its own way, in one transaction with the outcome's writes")
{
    Fixture f;
    f.postgres.query("CREATE TABLE notes (scope_id bigint, ref uuid, note text); GRANT ALL ON notes TO " +
                     f.postgres.service_role());
    auto const note = [](Claim const& c, char const* text) {
        return [c, text](pg::Tx& tx) {
            tx.run("INSERT INTO notes VALUES (current_setting('app.scopes')::bigint, $1, $2)", {c.ref, text});
        };
    };
    auto const done = f.add(core::ScopeId{2});
    auto const retried = f.add(core::ScopeId{4});
    auto const dead = f.add(core::ScopeId{6});
    std::mutex mutex;
    std::multiset<std::string> outcomes;
    auto const handler = [&](Claim const& c, std::stop_token const&) {
        if (c.ref == done) return Outcome::done(note(c, "done"));
        if (c.ref == dead) return Outcome::dead(note(c, "dead"));
        return c.attempts == 1 ? Outcome::retry(f.clock.now() + 1h, note(c, "later")) : Outcome::done();
    };
    Worker worker(
        f.database, f.clock, quick(), handler, {.finished = [&](Claim const&, Outcome::Kind kind, auto) {
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

TEST_CASE("two workers run a thousand jobs, and each job exactly once")
{
    Fixture f;
    pg::Database other({.url = f.postgres.service_url(), .application_name = "other", .threads = 4});
    f.tx([&](pg::Tx& t) {
        for (auto const scope : testing::scopes_between(2, 11)) {
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
            ++count;
            // Each worker waits in its first job until the other worker has also started one.
            eventually([&] { return by_first > 0 && by_second > 0; });
            std::lock_guard const lock(mutex);
            ++runs[c.ref];
            return Outcome::done();
        };
    };
    jobs::Hooks const hooks{.lost = [&](Claim const&) { ++lost; }};
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

TEST_CASE("many jobs of one tenant, in one scope or in both, do not delay other tenants")
{
    bool const in_both = GENERATE(false, true);
    CAPTURE(in_both);
    Fixture f;
    Gate gate;
    for (int i = 0; i < 50; ++i) {
        f.add(core::ScopeId{2});
        if (in_both) f.add(core::ScopeId{3});
    }
    std::atomic<int> small = 0;
    Worker worker(f.database, f.clock, quick(8), [&](Claim const& c, std::stop_token const&) {
        if (c.scope_id < core::ScopeId{4}) {
            gate.pass_blocking();
        } else {
            ++small;
        }
        return Outcome::done();
    });
    OpenAtEnd const guard{gate};
    REQUIRE(eventually([&] { return gate.arrived() == 4; }));
    for (auto const scope : testing::scopes_between(4, 23))
        f.add(scope);
    worker.wake();
    CHECK(eventually([&] { return small == 20; }));
    CHECK(gate.arrived() == 4); // half of the threads
    gate.open();
    CHECK(eventually([&] { return f.jobs_left() == 0; }));
}

TEST_CASE("a worker wakes for its own queue without waiting for the next poll")
{
    Fixture f;
    std::atomic<int> ran = 0;
    WorkerOptions options = quick(1);
    options.poll = 1h;
    // This database has one thread, so it runs the test's statement after the worker's current search for
    // jobs.
    pg::Database one({.url = f.postgres.service_url(), .threads = 1});
    f.postgres.query(R"(
        CREATE SEQUENCE looks; GRANT USAGE ON looks TO PUBLIC; CREATE
            OR REPLACE FUNCTION jobs_now() RETURNS timestamptz LANGUAGE sql STABLE AS
                'SELECT CASE WHEN nextval(''looks'') > 0 THEN now END FROM test_clock')");
    Worker worker(one, f.clock, options, [&](Claim const&, std::stop_token const&) {
        ++ran;
        return Outcome::done();
    });
    // The first search finds an empty queue. After it, only a wake-up starts another search.
    REQUIRE(eventually([&] { return f.postgres.query("SELECT is_called FROM looks") == "t"; }));
    one.transact_blocking(
        pg::Scopes{}, [&](pg::Tx& tx) { jobs::enqueue(tx, "q", core::ScopeId{2}, core::Uuid::v7()); });
    worker.on_notification("another queue");
    std::this_thread::sleep_for(100ms); // time in which the worker could poll
    CHECK(ran == 0);
    worker.on_notification("q");
    CHECK(eventually([&] { return ran == 1; }));
    // One wake-up is enough to run all waiting jobs one after another.
    for (int i = 0; i < 10; ++i)
        f.add(core::ScopeId{2 + i});
    worker.on_notification("q");
    CHECK(eventually([&] { return ran == 11; }));
}

TEST_CASE("a trace that a handler sets is passed to the hooks")
{
    Fixture f;
    std::map<core::Uuid, std::string> expected;
    for (auto const scope : testing::scopes({2, 4}))
        expected[f.add(scope)] = "trace " + core::to_string(scope);
    std::mutex mutex;
    std::map<core::Uuid, std::string> finished, failed;
    Worker const worker(f.database, f.clock, quick(),
        [](Claim& c, std::stop_token const&) -> Outcome {
            c.traceparent = "trace " + core::to_string(c.scope_id);
            if (c.attempts == 1) throw std::runtime_error("not at once");
            return Outcome::done();
        },
        {.finished =
                [&](Claim const& c, Outcome::Kind kind, auto) {
                    std::lock_guard const lock(mutex);
                    if (kind == Outcome::Kind::done) finished[c.ref] = c.traceparent;
                },
            .failed =
                [&](std::string_view, Claim const* c) {
                    std::lock_guard const lock(mutex);
                    if (c != nullptr) failed[c->ref] = c->traceparent;
                }});
    auto const told = [&](auto const& which) {
        std::lock_guard const lock(mutex);
        return which == expected;
    };
    CHECK(eventually([&] { return told(failed); }));
    CHECK(eventually([&] {
        f.clock.advance(2s);
        return told(finished);
    }));
}

TEST_CASE("an exception of a handler causes a retry with backoff")
{
    Fixture f;
    f.add(core::ScopeId{2});
    std::atomic<int> runs = 0;
    std::mutex mutex;
    std::vector<std::string> failures;
    Worker const worker(f.database, f.clock, quick(1),
        [&](Claim const& c, std::stop_token const&) -> Outcome {
            ++runs;
            if (c.attempts < 3) throw std::runtime_error("attempt " + std::to_string(c.attempts));
            return Outcome::done();
        },
        {.failed = [&](std::string_view what, Claim const*) {
            std::lock_guard const lock(mutex);
            failures.emplace_back(what);
        }});
    CHECK(eventually([&] {
        return f.postgres.query("SELECT count(*) FROM jobs WHERE attempts = 1 AND lease_owner IS NULL") ==
               "1";
    }));
    std::this_thread::sleep_for(100ms); // time in which the worker could poll repeatedly
    CHECK(runs == 1);                   // not before the pause is over
    f.clock.advance(1s);
    CHECK(eventually([&] { return runs == 2; }));
    CHECK(eventually([&] {
        f.clock.advance(2s);
        return f.jobs_left() == 0;
    }));
    std::lock_guard const lock(mutex);
    CHECK(failures == std::vector<std::string>{"attempt 1", "attempt 2"});
}

TEST_CASE("only a job whose outcome the database refuses is given up, with the reason")
{
    Fixture f;
    f.postgres.query("CREATE TABLE notes (note text CHECK (note <> 'wrong')); GRANT ALL ON notes TO " +
                     f.postgres.service_role());

    struct Case {
        std::string note, reason;
    };

    auto const [note, reason] = GENERATE(Case{"wrong", "%check constraint%"},
        Case{"no \xff UTF-8", "%invalid byte sequence%"}, Case{std::string("a\0b", 3), "%U+0000%"});
    auto const write = [](pg::Tx& tx, std::string const& what) {
        tx.run("INSERT INTO notes VALUES ($1)", {what});
    };
    auto const bad = f.add(core::ScopeId{2});
    for (int i = 0; i < 5; ++i)
        f.add(core::ScopeId{2});
    std::atomic<int> runs = 0;
    std::atomic<int> dead = 0;
    WorkerOptions options = quick(1);
    bool const teller_fails = GENERATE(false, true);
    options.on_dead = [&, teller_fails](pg::Tx& tx, Claim const& claim) {
        if (claim.ref == bad) write(tx, teller_fails ? "wrong" : "given up");
    };
    Worker worker(f.database, f.clock, options,
        [&](Claim const& claim, std::stop_token const&) {
            ++runs;
            return Outcome::done(
                [&, claim](pg::Tx& tx) { write(tx, claim.ref == bad ? note : std::string("right")); });
        },
        {.finished = [&](Claim const&, Outcome::Kind kind, auto) {
            dead += kind == Outcome::Kind::dead ? 1 : 0;
        }});
    REQUIRE(eventually([&] { return f.jobs_left() == 0; }));
    worker.stop();
    CHECK(runs == 6);
    CHECK(dead == 1);
    CAPTURE(f.postgres.query("SELECT reason FROM dead_jobs"));
    CHECK(f.postgres.query("SELECT ref || ' ' || attempts FROM dead_jobs WHERE reason LIKE '" + reason +
                           "'") == bad.to_string() + " 1");
    CHECK(f.postgres.query("SELECT count(*) FROM dead_jobs") == "1");
    CHECK(f.postgres.query(R"(
        SELECT string_agg(n || note, ',' ORDER BY note)
        FROM (SELECT note, count(*) AS n FROM notes GROUP BY note) AS counted)") ==
          (teller_fails ? "5right" : "1given up,5right"));
}
