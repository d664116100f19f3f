// Outcomes whose write fails, beside outcomes that are written.
#include "async.hpp"
#include "testing/eventually.hpp"

#include <thread>

using namespace jobs_test;
using testing::eventually;

namespace {

/// Fails as the server does.
void raise(pg::Tx& tx, std::string const& sqlstate)
{
    tx.run("DO $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = '" + sqlstate + "'; END $$");
}

} // namespace

TEST_CASE("a scope whose outcomes fail as in an outage keeps no other scope's outcomes waiting")
{
    Async f;
    std::atomic<bool> broken = true;
    std::atomic<int> refused = 0;
    f.record = [&](pg::Tx& tx, auto endings) {
        auto const of_broken = [](Ending const* ending) { return ending->claim.scope_id == 4; };
        if (!broken || std::ranges::none_of(endings, of_broken)) return;
        ++refused;
        raise(tx, "57014"); // as statement_timeout does
    };
    for (std::int64_t scope = 2; scope <= 9; ++scope)
        f.add(scope);
    f.start();
    REQUIRE(eventually([&] { return f.begun == 8; }));
    f.end_all();
    REQUIRE(eventually([&] { return f.jobs_left() == 1; }));
    int const before = refused;
    f.add(6); // while the other is tried again and again
    REQUIRE(eventually([&] { return f.begun == 9; }));
    f.end_all();
    REQUIRE(eventually([&] { return f.jobs_left() == 1; }));
    CHECK(eventually([&] { return refused >= before + 3; }));
    CHECK(f.worker->in_flight() == 1);

    broken = false;
    CHECK(eventually([&] { return f.worker->in_flight() == 0; }));
    CHECK(f.jobs_left() == 0);
    CHECK(f.finished == 9);
    CHECK(f.dead == 0);
}

TEST_CASE("outcomes that were put off are written although others come without end")
{
    constexpr int others = 400;
    Async f;
    f.add(2);
    for (std::int64_t scope = 4; scope < 24; ++scope)
        f.add_many(scope, others / 20);
    // Used by the thread that writes outcomes alone. Each of the others ends the next one, so that there is
    // always one to be written.
    bool put_off = false;
    std::optional<int> written_before;
    int written = 0;
    f.record = [&](pg::Tx& tx, auto endings) {
        for (auto const* ending : endings) {
            if (ending->claim.scope_id != 2) {
                ++written;
                if (!written_before) std::this_thread::sleep_for(5ms); // much longer in all than a pause
            } else if (put_off) {
                written_before = written;
                return f.end_all();
            } else {
                put_off = true;
                f.end_first();
                raise(tx, "55P03"); // as lock_timeout does
            }
        }
        f.end_first();
    };
    f.start(4 * others);
    REQUIRE(eventually([&] { return f.begun == others + 1; }));
    f.end_first(2);
    REQUIRE(eventually([&] { return f.worker->in_flight() == 0; }));
    CHECK(f.jobs_left() == 0);
    CHECK(put_off);
    REQUIRE(written_before);
    CHECK(*written_before < others);
}

TEST_CASE("many scopes whose outcomes are put off keep no other scope's outcomes waiting")
{
    Async f;
    std::atomic<bool> broken = true;
    std::atomic<int> refused = 0;
    f.record = [&](pg::Tx& tx, auto endings) {
        auto const of_broken = [](Ending const* ending) { return ending->claim.scope_id < 22; };
        if (!broken || std::ranges::none_of(endings, of_broken)) return;
        ++refused;
        std::this_thread::sleep_for(10ms); // with 20 of them, the pause of one of them is always over
        raise(tx, "55P03");
    };
    for (std::int64_t scope = 2; scope < 22; ++scope)
        f.add(scope);
    f.start(200, 2s); // pauses are 100 ms at most with this lease
    REQUIRE(eventually([&] { return f.begun == 20; }));
    f.end_all();
    REQUIRE(eventually([&] { return refused >= 40; }));
    f.add(30);
    REQUIRE(eventually([&] { return f.begun == 21; }));
    f.end_all();
    CHECK(eventually([&] { return f.jobs_left() == 20; }));

    broken = false;
    CHECK(eventually([&] { return f.worker->in_flight() == 0; }));
    CHECK(f.jobs_left() == 0);
}
