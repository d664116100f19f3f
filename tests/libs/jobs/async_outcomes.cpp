// Some outcomes cannot be written, and other outcomes are written at the same time.
#include "async.hpp"
#include "support/eventually.hpp"
#include "support/scopes.hpp"

#include <thread>

using namespace jobs_test;
using testing::eventually;

namespace {

/// Fails with an error of the server.
void raise(pg::Tx& tx, std::string const& sqlstate)
{
    tx.run("DO $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = '" + sqlstate + "'; END $$");
}

} // namespace

TEST_CASE("a scope whose outcomes cannot be written, as in an outage, does not delay other scopes")
{
    Async f;
    std::atomic<bool> broken = true;
    std::atomic<int> refused = 0;
    f.record = [&](pg::Tx& tx, auto runs) {
        auto const of_broken = [](FinishedRun const* run) { return run->claim.scope_id == core::ScopeId{4}; };
        if (!broken || std::ranges::none_of(runs, of_broken)) return;
        ++refused;
        raise(tx, "57014"); // the error of statement_timeout
    };
    for (auto const scope : testing::scopes_between(2, 9))
        f.add(scope);
    f.start();
    REQUIRE(eventually([&] { return f.begun == 8; }));
    f.end_all();
    REQUIRE(eventually([&] { return f.jobs_left() == 1; }));
    int const before = refused;
    f.add(core::ScopeId{6}); // while the other outcome is retried
    REQUIRE(eventually([&] { return f.begun == 9; }));
    f.end_all();
    REQUIRE(eventually([&] { return f.jobs_left() == 1; }));
    CHECK(eventually([&] { return refused >= before + 3; }));
    CHECK(f.worker->in_flight() == 1);

    broken = false;
    CHECK(eventually([&] { return f.worker->in_flight() == 0; }));
    CHECK(f.jobs_left() == 0);
    CHECK(eventually([&] { return f.finished == 9; }));
    CHECK(f.dead == 0);
}

TEST_CASE("delayed outcomes are written even if other outcomes arrive continuously")
{
    constexpr int others = 400;
    Async f;
    f.add(core::ScopeId{2});
    for (auto const scope : testing::scopes_between(4, 23))
        f.add_many(scope, others / 20);
    // Only the thread that writes outcomes uses these variables. Each outcome of another scope ends the next
    // job, so that there is always an outcome to write.
    bool put_off = false;
    std::optional<int> written_before;
    int written = 0;
    f.record = [&](pg::Tx& tx, auto runs) {
        for (auto const* run : runs) {
            if (run->claim.scope_id != core::ScopeId{2}) {
                ++written;
                // All these sleeps together last much longer than a pause.
                if (!written_before) std::this_thread::sleep_for(5ms);
            } else if (put_off) {
                written_before = written;
                return f.end_all();
            } else {
                put_off = true;
                f.end_first();
                raise(tx, "55P03"); // the error of lock_timeout
            }
        }
        f.end_first();
    };
    f.start(4 * others);
    REQUIRE(eventually([&] { return f.begun == others + 1; }));
    f.end_first(core::ScopeId{2});
    REQUIRE(eventually([&] { return f.worker->in_flight() == 0; }));
    CHECK(f.jobs_left() == 0);
    CHECK(put_off);
    REQUIRE(written_before);
    CHECK(*written_before < others);
}

TEST_CASE("many scopes whose outcomes are delayed do not delay outcomes of other scopes")
{
    Async f;
    std::atomic<bool> broken = true;
    std::atomic<int> refused = 0;
    f.record = [&](pg::Tx& tx, auto runs) {
        auto const of_broken = [](FinishedRun const* run) { return run->claim.scope_id < core::ScopeId{22}; };
        if (!broken || std::ranges::none_of(runs, of_broken)) return;
        ++refused;
        // 20 such writes take longer than a pause, so the pause of one scope is always over.
        std::this_thread::sleep_for(10ms);
        raise(tx, "55P03");
    };
    for (auto const scope : testing::scopes_between(2, 21))
        f.add(scope);
    f.start(200, 2s); // with this lease pauses are at most 100 ms
    REQUIRE(eventually([&] { return f.begun == 20; }));
    f.end_all();
    REQUIRE(eventually([&] { return refused >= 40; }));
    f.add(core::ScopeId{30});
    REQUIRE(eventually([&] { return f.begun == 21; }));
    f.end_all();
    CHECK(eventually([&] { return f.jobs_left() == 20; }));

    broken = false;
    CHECK(eventually([&] { return f.worker->in_flight() == 0; }));
    CHECK(f.jobs_left() == 0);
}
