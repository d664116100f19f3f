#include "fixture.hpp"
#include "pg/listener.hpp"
#include "pg/row.hpp"
#include "support/eventually.hpp"
#include "support/scopes.hpp"

#include <pqxx/except>

#include <array>
#include <atomic>
#include <set>

using namespace jobs_test;
using jobs::Claim;

TEST_CASE("a job is claimed once when it is due, with a lease")
{
    Fixture f;
    auto const ref = f.add(core::ScopeId{2}, 10s);
    CHECK(f.claim_up_to(5).empty());

    f.clock.advance(10s);
    auto const claims = f.claim_up_to(5);
    REQUIRE(claims.size() == 1);
    CHECK(claims[0].ref == ref);
    CHECK(claims[0].scope_id == core::ScopeId{2});
    CHECK(claims[0].queue == "q");
    CHECK(claims[0].attempts == 1);
    CHECK(claims[0].run_at == f.clock.now());
    CHECK(claims[0].lease_until == f.clock.now() + 60s);
    CHECK(f.claim_up_to(5).empty());

    CHECK(f.complete(claims[0]));
    CHECK(f.jobs_left() == 0);
    CHECK_FALSE(f.complete(claims[0]));
}

TEST_CASE("queues are independent")
{
    Fixture f;
    f.add(core::ScopeId{2}, 0s, "other");
    CHECK(f.claim_up_to(5).empty());
}

TEST_CASE("an expired lease is taken over, and its former owner can no longer end the job")
{
    Fixture f;
    f.add(core::ScopeId{2});
    auto const stale = f.claim_up_to(1, 30s).at(0);
    f.clock.advance(29s);
    CHECK(f.claim_up_to(1).empty());
    f.clock.advance(1s);
    auto const next = f.claim_up_to(1, 30s);
    REQUIRE(next.size() == 1);
    CHECK(next[0].attempts == 2);
    CHECK(next[0].token != stale.token);

    CHECK_FALSE(f.complete(stale));
    CHECK_FALSE(f.tx([&](pg::Tx& t) { return jobs::put_off(t, stale, 0s); }));
    f.tx([&](pg::Tx& t) { jobs::give_back(t, std::span(&stale, 1)); });
    f.tx([&](pg::Tx& t) { jobs::renew(t, std::span(&stale, 1), 0s); });
    CHECK(f.claim_up_to(1).empty());
    CHECK(f.complete(next[0]));
}

TEST_CASE("a renewal does not wait for a job that another transaction has locked")
{
    Fixture f;
    f.add(core::ScopeId{2});
    f.add(core::ScopeId{4});
    auto const claims = f.claim_up_to(2, 10s);
    REQUIRE(claims.size() == 2);
    f.tx([&](pg::Tx& settling) {
        settling.run("SELECT FROM jobs WHERE scope_id = 2 FOR UPDATE");
        auto const renewed = f.tx([&](pg::Tx& t) {
            t.run("SELECT set_config('lock_timeout', '2s', true)");
            return jobs::renew(t, claims, 30s);
        });
        CHECK(renewed == 1);
    });
    CHECK(f.postgres.query("SELECT scope_id FROM jobs WHERE run_at > jobs_now() + interval '20 s'") == "4");
}

TEST_CASE("a renewed lease lasts longer")
{
    Fixture f;
    f.add(core::ScopeId{2});
    auto const claim = f.claim_up_to(1, 30s).at(0);
    f.clock.advance(20s);
    f.tx([&](pg::Tx& t) { jobs::renew(t, std::span(&claim, 1), 30s); });
    f.clock.advance(29s);
    CHECK(f.claim_up_to(1).empty());
    f.clock.advance(1s);
    CHECK(f.claim_up_to(1).size() == 1);
}

TEST_CASE("a postponed job is due later, and a released job is due at the same time as before")
{
    Fixture f;
    f.add(core::ScopeId{2});
    auto claim = f.claim_up_to(1).at(0);
    CHECK(f.tx([&](pg::Tx& t) { return jobs::put_off(t, claim, 5s); }));
    CHECK(f.claim_up_to(1).empty());
    f.clock.advance(5s);
    claim = f.claim_up_to(1).at(0);
    CHECK(claim.attempts == 2);

    f.tx([&](pg::Tx& t) { jobs::give_back(t, std::span(&claim, 1)); });
    auto const again = f.claim_up_to(1).at(0);
    CHECK(again.attempts == 2);
    CHECK(again.run_at == claim.run_at);

    CHECK(f.tx([&](pg::Tx& t) { return jobs::put_off(t, again, 0s, false); }));
    CHECK(f.claim_up_to(1).at(0).attempts == 2);
}

TEST_CASE("enqueueing a waiting job can make it due earlier but not later")
{
    Fixture f;
    auto const ref = f.add(core::ScopeId{2}, 60s);
    f.add(core::ScopeId{2}, ref, 10s);
    f.add(core::ScopeId{2}, ref, 90s);
    CHECK(f.jobs_left() == 1);
    f.clock.advance(10s);
    CHECK(f.claim_up_to(5).size() == 1);
}

TEST_CASE("a job that is enqueued while it runs is run once more")
{
    Fixture f;
    auto const ref = f.add(core::ScopeId{2});
    auto const claim = f.claim_up_to(1).at(0);
    f.add(core::ScopeId{2}, ref, 30s);
    f.add(core::ScopeId{2}, ref, 5s);
    CHECK(f.claim_up_to(1).empty());

    SECTION("after it was completed, as a first attempt")
    {
        CHECK(f.complete(claim));
        CHECK(f.claim_up_to(1).empty());
        f.clock.advance(5s);
        auto const again = f.claim_up_to(1);
        REQUIRE(again.size() == 1);
        CHECK(again[0].attempts == 1);
        CHECK(f.complete(again[0]));
        CHECK(f.jobs_left() == 0);
    }
    SECTION("after it was postponed to a later time")
    {
        CHECK(f.tx([&](pg::Tx& t) { return jobs::put_off(t, claim, 600s); }));
        f.clock.advance(5s);
        auto const again = f.claim_up_to(1);
        REQUIRE(again.size() == 1);
        CHECK(f.complete(again[0]));
        CHECK(f.jobs_left() == 0);
    }
}

TEST_CASE("a job and the change that enqueues it are committed together or not at all")
{
    Fixture f;
    CHECK_THROWS_AS(f.tx([&](pg::Tx& t) {
        jobs::enqueue(t, "q", core::ScopeId{2}, core::Uuid::v7(), f.clock.now());
        throw std::runtime_error("no");
    }),
        std::runtime_error);
    CHECK(f.jobs_left() == 0);
}

TEST_CASE("scopes take turns")
{
    Fixture f;
    for (int i = 0; i < 100; ++i)
        f.add(core::ScopeId{2}); // many jobs, older than all others
    for (auto const scope : testing::scopes_between(4, 10, 2))
        f.add(scope);

    SECTION("no scope gets more than its share of a claim")
    {
        auto const result = f.claim({.queue = "q", .limit = 8, .max_per_scope = 4, .running = {}});
        std::map<core::ScopeId, int> got;
        for (auto const& c : result.claims)
            ++got[c.scope_id];
        CHECK(got == std::map<core::ScopeId, int>{{core::ScopeId{2}, 4}, {core::ScopeId{4}, 1},
                         {core::ScopeId{6}, 1}, {core::ScopeId{8}, 1}, {core::ScopeId{10}, 1}});
    }
    SECTION("the next claim continues where the last one ended")
    {
        std::vector<core::ScopeId> order;
        core::ScopeId after{};
        for (int i = 0; i < 5; ++i) {
            auto const result =
                f.claim({.queue = "q", .limit = 1, .max_per_scope = 4, .running = {}, .after_scope = after});
            REQUIRE(result.claims.size() == 1);
            CHECK_FALSE(result.end);
            order.push_back(result.claims[0].scope_id);
            after = result.next_scope;
        }
        CHECK(order == testing::scopes({2, 4, 6, 8, 10}));
        auto const last =
            f.claim({.queue = "q", .limit = 1, .max_per_scope = 4, .running = {}, .after_scope = after});
        CHECK(last.claims.empty());
        CHECK(last.end);
        CHECK(last.next_scope == core::no_scope);
    }
    SECTION("running jobs count for the share of their scope")
    {
        auto const result = f.claim({.queue = "q",
            .limit = 8,
            .max_per_scope = 4,
            .running = {{core::ScopeId{2}, 3}, {core::ScopeId{4}, 4}, {core::ScopeId{6}, 9}}});
        std::map<core::ScopeId, int> got;
        for (auto const& c : result.claims)
            ++got[c.scope_id];
        CHECK(got == std::map<core::ScopeId, int>{
                         {core::ScopeId{2}, 1}, {core::ScopeId{8}, 1}, {core::ScopeId{10}, 1}});
    }
}

TEST_CASE("the oldest job of a scope comes first")
{
    Fixture f;
    auto const third = f.add(core::ScopeId{2}, -1s);
    auto const first = f.add(core::ScopeId{2}, -3s);
    auto const second = f.add(core::ScopeId{2}, -2s);
    CHECK(f.claim_up_to(1).at(0).ref == first);
    CHECK(f.claim_up_to(1).at(0).ref == second);
    CHECK(f.claim_up_to(1).at(0).ref == third);
}

TEST_CASE("due jobs are claimed in one claim, for any number of scopes with later jobs")
{
    Fixture f;
    f.add_later(2, 1001);
    f.add(core::ScopeId{1002});
    f.add_later(1003, 2000);
    auto const result = f.claim({.queue = "q", .limit = 8, .max_per_scope = 4, .running = {}});
    REQUIRE(result.claims.size() == 1);
    CHECK(result.claims[0].scope_id == core::ScopeId{1002});
    CHECK(result.end);

    auto const nothing = f.claim({.queue = "q", .limit = 8, .max_per_scope = 4, .running = {}});
    CHECK(nothing.claims.empty());
    CHECK(nothing.end);
}

TEST_CASE("due scopes beyond the limit of one claim are reached by the next claim")
{
    Fixture f;
    f.add_later(2, 300);
    for (auto const scope : testing::scopes_between(2, 200, 2))
        f.add(scope);
    CHECK(f.round({.queue = "q", .limit = 200, .max_per_scope = 4, .running = {}}) ==
          std::vector<std::size_t>{64, 36});
}

TEST_CASE("if many jobs are due, scopes beyond the limit of one claim are reached by the next claim")
{
    Fixture f;
    f.tx([&](pg::Tx& t) {
        t.run(R"(
            INSERT INTO jobs (scope_id, queue, ref, run_at)
            SELECT 2, 'q', gen_random_uuid(), $1::timestamptz
            FROM generate_series(1, 300))",
            {f.clock.now()});
    });
    f.add_later(3, 1000);
    f.add(core::ScopeId{1001});
    std::vector<std::size_t> expected(16);
    expected.back() = 1;
    CHECK(f.round({.queue = "q", .limit = 8, .max_per_scope = 4, .running = {{core::ScopeId{2}, 4}}}) ==
          expected);
}

TEST_CASE("the last failure reason of a job that is given up is recorded")
{
    Fixture f;
    f.add(core::ScopeId{2});
    auto const claim = f.claim_up_to(1).at(0);
    for (auto const* const why : {"first", "it was so"})
        f.database.transact_blocking(pg::Scopes(core::ScopeId{2}),
            [&](pg::Tx& t) { jobs::record_dead(t, claim, why, f.clock.now()); });
    CHECK(f.postgres.query("SELECT ref || ' ' || queue || ' ' || attempts || ' ' || reason FROM dead_jobs") ==
          claim.ref.to_string() + " q 1 it was so");
    // The entry is visible only in its scope.
    CHECK_THROWS_AS(
        f.tx([&](pg::Tx& t) { jobs::record_dead(t, claim, "not ours", f.clock.now()); }), pqxx::failure);

    // The entry is kept for a limited time.
    auto const purge = [&](core::Time before) {
        return f.database.transact_blocking(pg::Scopes(core::ScopeId{2}),
            [&](pg::Tx& t) { return jobs::purge_dead(t, std::array{core::ScopeId{2}}, before, 10); });
    };
    CHECK(purge(f.clock.now()) == 0);
    CHECK(purge(f.clock.now() + std::chrono::milliseconds(1)) == 1);
}

TEST_CASE("a claim among very many jobs reads few of them")
{
    Fixture f;
    f.postgres.query(R"(
        INSERT INTO jobs (scope_id, queue, ref, run_at)
        SELECT 2 + (n % 5) * 2, 'q', gen_random_uuid(), '2025-12-31'::timestamptz FROM generate_series(1, 100000) n;
        ANALYZE jobs)");
    for (int i = 0; i < 20; ++i) {
        f.tx([&](pg::Tx& t) {
            jobs::ClaimRequest const request{.queue = "q", .limit = 8, .max_per_scope = 4, .running = {}};
            CHECK(jobs::claim(t, request).claims.size() == 8);
            auto const read = t.run(R"(
                SELECT (seq_tup_read + idx_tup_fetch)::bigint
                FROM pg_stat_xact_user_tables
                WHERE relname = 'jobs')");
            // The number is far below 100,000, but not exact: during an autovacuum, dead entries stay in the
            // index, and each claim reads them again.
            CHECK(pg::RowReader(read[0]).integer() < 10'000);
        });
    }
}

TEST_CASE("a commit wakes listeners if a job is due")
{
    Fixture f;
    std::atomic<int> heard = 0;
    std::atomic<bool> ready = false;
    pg::Listener listener(f.postgres.service_url(),
        {{jobs::channel, [&](std::string const& queue) { heard += queue == "q" ? 1 : 100; }}},
        [&] { ready = true; });
    REQUIRE(testing::eventually([&] { return ready.load() && listener.live(); }));
    f.add(core::ScopeId{2}, 24h * 365 * 100,
        "later"); // commits before the job whose notification the test awaits
    f.tx([&](pg::Tx& t) {
        for (int i = 0; i < 3; ++i)
            jobs::enqueue(t, "q", core::ScopeId{2}, core::Uuid::v7(), f.clock.now());
    });
    CHECK(testing::eventually([&] { return heard > 0; }));
    listener.stop();
    CHECK(heard == 1);
}
