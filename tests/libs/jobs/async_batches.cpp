// How many jobs one claim and one transaction with outcomes serve.
#include "async.hpp"
#include "jobs/claimer.hpp"
#include "pg/tx_batch.hpp"
#include "support/eventually.hpp"

using namespace jobs_test;
using testing::eventually;

namespace {

/// A worker that searches for jobs only when it is notified. `sizes`: the number of outcomes of each
/// transaction.
struct Gathering : Async {
    std::vector<std::size_t> sizes;

    explicit Gathering(std::chrono::milliseconds interval)
    {
        poll = 1h;
        gather = interval;
        record = [this](pg::Tx&, auto runs) {
            std::lock_guard const lock(mutex);
            sizes.push_back(runs.size());
        };
    }

    ~Gathering() { worker.reset(); } // before the members that `record` uses

    std::vector<std::size_t> written()
    {
        std::lock_guard const lock(mutex);
        return sizes;
    }
};

/// How often statements have read an index.
int reads_of(Fixture const& f, std::string const& index)
{
    return std::stoi(
        f.postgres.query("SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = '" + index + "'"));
}

} // namespace

TEST_CASE("jobs that come soon after a claim are claimed together")
{
    Gathering f(2s);
    f.start();
    f.add(core::ScopeId{2});
    f.worker->wake();
    REQUIRE(eventually([&] { return f.begun == 1; }));
    for (int i = 0; i < 3; ++i) {
        f.add(core::ScopeId{2});
        f.worker->wake();
    }
    REQUIRE(eventually([&] { return f.begun == 4; }));
    CHECK(f.most_at_once == 3);
    f.end_all();
}

TEST_CASE("outcomes that come soon after others are written together, at the latest when the worker stops")
{
    Gathering f(1h);
    f.add_many(core::ScopeId{2}, 4);
    f.start();
    REQUIRE(eventually([&] { return f.begun == 4; }));
    f.end_first();
    REQUIRE(eventually([&] { return f.jobs_left() == 3; }));
    f.end_all();
    f.worker->stop();
    CHECK(f.written() == std::vector<std::size_t>{1, 3});
    CHECK(f.jobs_left() == 0);
}

TEST_CASE("as many outcomes as one transaction writes do not wait for more")
{
    constexpr int many = 256; // as in outcome_buffer.cpp
    Gathering f(1h);
    f.add_many(core::ScopeId{2}, many + 1);
    f.start(4'096);
    REQUIRE(eventually([&] { return f.begun == many + 1; }));
    f.end_first();
    REQUIRE(eventually([&] { return f.jobs_left() == many; }));
    f.end_all();
    CHECK(eventually([&] { return f.jobs_left() == 0; }));
    CHECK(f.written() == std::vector<std::size_t>{1, many});
}

TEST_CASE("a round of claims that has taken all due jobs is the last one until there is news")
{
    Fixture f;
    jobs::Claimer claimer(f.database, "q", 60s, std::nullopt);
    auto const take = [&](std::size_t limit, std::size_t per_scope) {
        return claimer.take({.queue = {}, .limit = limit, .max_per_scope = per_scope, .running = {}});
    };
    for (int i = 0; i < 5; ++i)
        f.add(core::ScopeId{2});
    auto const some = take(10, 2); // the limit of a scope leaves jobs
    CHECK(some.claims.size() == 2);
    CHECK(some.more);
    auto const more = take(2, 10); // the limit of the claim leaves jobs
    CHECK(more.claims.size() == 2);
    CHECK(more.more);
    auto const end = take(10, 10); // the scopes after the last one
    CHECK(end.claims.empty());
    CHECK(end.more);
    auto const rest = take(10, 10);
    CHECK(rest.claims.size() == 1);
    CHECK_FALSE(rest.more);
    auto const none = take(10, 10);
    CHECK(none.claims.empty());
    CHECK_FALSE(none.more);
}

TEST_CASE(
    "claims and their ends choose the right index, although the table was empty when its rows were counted")
{
    Fixture f;
    f.postgres.query(R"(
        INSERT INTO jobs (scope_id, queue, ref, run_at)
        SELECT 2, 'q', gen_random_uuid(), '2020-01-01'
        FROM generate_series(1, 5000);
        DELETE FROM jobs;
        ANALYZE jobs;
        INSERT INTO jobs (scope_id, queue, ref, run_at)
        SELECT scope_id, 'q', gen_random_uuid(), '2020-01-01'
        FROM generate_series(2, 51) AS scope_id
        CROSS JOIN generate_series(1, 2))");
    int const by_time = reads_of(f, "jobs_by_time");
    int const key = reads_of(f, "jobs_pkey");

    auto const claims = f.tx([&](pg::Tx& tx) {
        pg::use_batch_plans(tx);
        tx.run("SELECT pg_stat_force_next_flush()");
        return jobs::claim(tx, {.queue = "q", .limit = 128, .max_per_scope = 128, .running = {}}).claims;
    });
    REQUIRE(claims.size() == 100);
    CHECK(eventually([&] { return reads_of(f, "jobs_by_time") == by_time + 1; }));
    CHECK(reads_of(f, "jobs_pkey") == key);

    std::vector<FinishedRun> runs;
    for (auto const& claim : claims)
        runs.push_back({.claim = claim});
    auto const ended = f.tx([&](pg::Tx& tx) {
        pg::use_batch_plans(tx);
        tx.run("SELECT pg_stat_force_next_flush()");
        return jobs::end_claims(tx, runs, f.clock.now());
    });
    CHECK(ended.size() == 100);
    CHECK(eventually([&] { return reads_of(f, "jobs_pkey") == key + 100; }));
    CHECK(reads_of(f, "jobs_by_time") == by_time + 1);
}
