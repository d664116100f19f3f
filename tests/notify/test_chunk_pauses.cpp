#include "chunk_runs.hpp"

// Chunks of broadcasts whose carrier refuses the credential, or is paused.

using namespace chunk_run_test;

TEST_CASE("the end of a pause does not affect devices that wait for another reason", "[broadcast]")
{
    auto const run = run_answered(later_chunk(2),
        {waiting_device(1, {1, noon}, noon + 4s), waiting_device(2)}, {result(Verdict::accepted)}, noon + 2s);
    CHECK(tally(run) == "1 0 0 1");
    CHECK(waiting_ids(run) == Ids{1});
    CHECK(run.next_run() == noon + 4s);
    CHECK_FALSE(run.paused());
}

TEST_CASE("a refused credential pauses its carrier, and its devices wait", "[broadcast]")
{
    auto const run =
        run_answered({result(Verdict::accepted), result(Verdict::credential, "PERMISSION_DENIED")});
    CHECK(tally(run) == "1 0 0 1");
    CHECK(run.waiting()[0].attempts.made == 0);
    CHECK_FALSE(run.waiting()[0].not_before);
    CHECK(run.next_run() == noon + 1h);
    REQUIRE(run.paused());
    CHECK(run.paused()->carrier == Carrier::fcm);
    CHECK(run.paused()->refused == "PERMISSION_DENIED");
    CHECK(run.paused()->seen == noon - 1h);
}

TEST_CASE("devices whose push was not handed out stay a range when the credential is refused", "[broadcast]")
{
    auto const stopped = untried(Verdict::credential, "PERMISSION_DENIED");
    auto const run = run_answered(
        {result(Verdict::accepted), result(Verdict::credential, "PERMISSION_DENIED"), stopped, stopped});
    CHECK(tally(run) == "1 0 0 1 2");
    CHECK(waiting_ids(run) == Ids{2});
    CHECK(run.range().first == 3);
    CHECK(run.range().last == 4);
    CHECK(run.next_run() == noon + 1h);

    // Another chunk of the same credential: no push was handed out.
    auto const whole = run_answered({stopped, stopped});
    CHECK(tally(whole) == "0 0 0 0 2");
    CHECK(whole.next_run() == noon + 1h);
    REQUIRE(whole.paused());
    CHECK(whole.paused()->refused == "PERMISSION_DENIED");
    CHECK(whole.paused()->seen == noon - 1h);

    auto const at = [&](core::Time now) {
        return run_answered(
            later_chunk(1, 2), {waiting_device(1), device(2), device(3)}, {stopped, stopped, stopped}, now);
    };
    CHECK(tally(at(noon + 59min)) == "0 0 0 1 2");
    CHECK(at(noon + 59min).next_run() == noon + 1h);
    CHECK(tally(at(noon + 1h)) == "0 3 0 0");
    CHECK_FALSE(at(noon + 1h).next_run());
}

TEST_CASE("a range runs again at the earliest time of its devices", "[broadcast]")
{
    auto const stopped = untried(Verdict::credential, "PERMISSION_DENIED");
    auto const held = untried(Verdict::throttled, push_reasons::throttled, 60s);
    for (auto const& results : {std::vector{stopped, held, down}, std::vector{down, held, stopped}}) {
        auto const run = run_answered(results);
        CHECK(tally(run) == "0 0 0 0 3");
        CHECK(run.next_run() == noon + 8s);
        CHECK(run.paused());
    }
}

TEST_CASE("the devices of a paused carrier wait, the untried ones as a range", "[broadcast]")
{
    ChunkRun run(later_chunk(1, 3), Carrier::fcm, {waiting_device(1, {1, noon}), device(3), device(4)},
        config(noon + 20min), noon);
    CHECK(run.take_targets().empty());
    CHECK(tally(run) == "0 0 1 1 2"); // device 2 is not registered any more
    CHECK(waiting_ids(run) == Ids{1});
    CHECK_FALSE(run.waiting()[0].not_before);
    CHECK(run.range().first == 3);
    CHECK(run.range().last == 4);
    CHECK(run.next_run() == noon + 20min);
    REQUIRE(run.paused());
    CHECK_FALSE(run.paused()->refused);
}

TEST_CASE("the devices of a paused carrier fail an hour after the chunk's first run", "[broadcast]")
{
    auto const at = [](core::Time now) {
        return ChunkRun(
            later_chunk(1, 1), Carrier::fcm, {waiting_device(1), device(2)}, config(noon + 2h), now);
    };
    auto const before = at(noon + 59min);
    CHECK(tally(before) == "0 0 0 1 1");
    CHECK(before.next_run() == noon + 1h);
    CHECK(tally(at(noon + 1h)) == "0 2 0 0");
}
