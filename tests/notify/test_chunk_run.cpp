#include "chunk_runs.hpp"

// Devices whose credential is refused are tested in test_chunk_pauses.cpp.

using namespace chunk_run_test;

TEST_CASE("every device gets one push, in the order of the ids", "[broadcast]")
{
    ChunkRun run(chunk_of(3), Carrier::apns, devices_up_to(3), config(), noon);
    auto const targets = run.take_targets();
    REQUIRE(targets.size() == 3);
    CHECK(targets[0].device_id == 1);
    CHECK(targets[2].device_id == 3);
    CHECK(targets[2].token == "token-3");
    CHECK(targets[2].carrier == Carrier::apns);
    CHECK(run.take_targets().empty());
}

TEST_CASE("the carrier's response decides the result of the device", "[broadcast]")
{
    auto const run = run_answered({result(Verdict::accepted), result(Verdict::accepted),
        result(Verdict::gone, "UNREGISTERED"), result(Verdict::refused, "INVALID_ARGUMENT")});
    CHECK(tally(run) == "2 1 1 0");
    CHECK_FALSE(run.next_run());
    CHECK_FALSE(run.paused());
}

TEST_CASE("a device that was unregistered before its push counts as an invalid token", "[broadcast]")
{
    auto const run = run_answered(chunk_of(3), {device(2)}, {result(Verdict::accepted)});
    CHECK(tally(run) == "1 0 2 0");
    CHECK(tally(run_answered(later_chunk(2, 2), {waiting_device(2), device(4)},
              {result(Verdict::accepted), result(Verdict::accepted)})) == "2 0 2 0");
}

TEST_CASE("a transient failure is retried three times", "[broadcast]")
{
    auto const run = run_answered({result(Verdict::transient, "INTERNAL"), result(Verdict::accepted)});
    CHECK(tally(run) == "1 0 0 1");
    REQUIRE(run.next_run());
    CHECK(*run.next_run() > noon);
    CHECK(*run.next_run() <= noon + 4s);
    REQUIRE(run.waiting().size() == 1);
    CHECK(run.waiting()[0].device_id == 1);
    CHECK(run.waiting()[0].attempts.made == 1);
    CHECK(run.waiting()[0].attempts.first == noon);

    for (std::int64_t made = 1; made <= 3; ++made) {
        auto const next = run_answered(later_chunk(1), {waiting_device(1, {made, noon})},
            {result(Verdict::transient, "INTERNAL")}, noon + 10s);
        CHECK(tally(next) == (made < 3 ? "0 0 0 1" : "0 1 0 0"));
        CHECK(next.began() == noon);
    }
}

TEST_CASE(
    "a throttled push counts no attempt, and waits one by one, as long as the carrier asks", "[broadcast]")
{
    auto const run = run_answered({result(Verdict::throttled, "QUOTA_EXCEEDED", 90s)});
    CHECK(tally(run) == "0 0 0 1");
    CHECK(run.waiting()[0].attempts.made == 0);
    CHECK_FALSE(run.waiting()[0].attempts.first);
    CHECK(run.waiting()[0].not_before == noon + 90s);
    CHECK(run.next_run() == noon + 90s);
}

TEST_CASE(
    "a broadcast counts no attempt for a response that is not awaited, and for a failed probe", "[broadcast]")
{
    auto stopped = result(Verdict::transient, std::string(push_reasons::stopped));
    auto probe = result(Verdict::transient, "INTERNAL");
    probe.probe = true;
    for (auto const& each : {stopped, probe}) {
        INFO(each.reason);
        auto const run = run_answered({each});
        CHECK(tally(run) == "0 0 0 1"); // the carrier may have received the push, so it is not untried
        CHECK(run.waiting()[0].attempts.made == 0);
    }
}

TEST_CASE("each device of a chunk has its own retry time", "[broadcast]")
{
    auto const run = run_answered(
        {result(Verdict::transient, "INTERNAL"), result(Verdict::throttled, "QUOTA_EXCEEDED", 600s)});
    REQUIRE(tally(run) == "0 0 0 2");
    auto const soon = run.waiting()[0].not_before.value();
    CHECK(soon <= noon + 4s);
    CHECK(run.waiting()[1].not_before == noon + 600s);
    CHECK(run.next_run() == soon);

    auto const next = run_answered(later_chunk(2),
        {waiting_device(1, {1, noon}, soon), waiting_device(2, {1, noon}, noon + 600s)},
        {result(Verdict::accepted)}, soon);
    REQUIRE(tally(next) == "1 0 0 1");
    CHECK(next.waiting()[0].device_id == 2);
    CHECK(next.waiting()[0].attempts.made == 1);
    CHECK(next.waiting()[0].not_before == noon + 600s);
    CHECK(next.next_run() == noon + 600s);
}

// --- devices to which no push was tried

TEST_CASE("devices whose push was not handed out stay a range", "[broadcast]")
{
    auto const each = GENERATE(0, 1, 2, 3, 4);
    std::vector const results{untried(Verdict::transient, push_reasons::stopped),
        untried(Verdict::transient, push_reasons::busy), untried(Verdict::transient, push_reasons::not_sent),
        untried(Verdict::throttled, push_reasons::throttled, 90s), down};
    auto const& result = results[static_cast<std::size_t>(each)];
    auto const run = run_answered({result, result});
    CHECK(tally(run) == "0 0 0 0 2");
    CHECK(run.range().first == 1);
    CHECK(run.range().last == 2);
    CHECK(run.next_run() == noon + result.retry_after.value_or(1s));
    CHECK_FALSE(run.paused());
}

TEST_CASE("the last devices of a chunk stay a range if their pushes were not handed out", "[broadcast]")
{
    auto const run =
        run_answered({result(Verdict::accepted), result(Verdict::transient, "INTERNAL"), down, down, down});
    CHECK(tally(run) == "1 0 0 1 3");
    CHECK(run.range().first == 3);
    CHECK(run.range().last == 5);
    CHECK(waiting_ids(run) == Ids{2});
    CHECK(run.waiting()[0].attempts.made == 1);
}

TEST_CASE("an untried device before a tried device waits one by one", "[broadcast]")
{
    auto const run =
        run_answered({down, result(Verdict::accepted), down, result(Verdict::transient, "INTERNAL"), down});
    CHECK(tally(run) == "1 0 0 3 1");
    CHECK(waiting_ids(run) == Ids{1, 3, 4});
    CHECK(run.waiting()[0].attempts.made == 0);
    CHECK_FALSE(run.waiting()[0].attempts.first);
    CHECK(run.waiting()[0].not_before == noon + 8s);
    CHECK(run.waiting()[2].attempts.made == 1);
    CHECK(run.range().first == 5);
    for (auto const id : waiting_ids(run))
        CHECK(id < run.range().first);
}

TEST_CASE("a device that waits one by one does not return to the range", "[broadcast]")
{
    auto const run = run_answered(later_chunk(2, 2),
        {waiting_device(1), waiting_device(2, {1, noon}), device(3), device(4)}, {down, down, down, down},
        noon + 1min);
    CHECK(tally(run) == "0 0 0 2 2");
    CHECK(waiting_ids(run) == Ids{1, 2});
    CHECK(run.waiting()[1].attempts.made == 1);
    CHECK(run.waiting()[1].attempts.first == noon);
    CHECK(run.range().first == 3);
    CHECK(run.range().last == 4);
    CHECK(run.began() == noon);
}

TEST_CASE("devices that wait for a later time do not move the range", "[broadcast]")
{
    ChunkRun run(later_chunk(1, 2), Carrier::fcm,
        {waiting_device(1, {1, noon}, noon + 10min), device(2), device(3)}, config(), noon + 1s);
    auto const targets = run.take_targets();
    REQUIRE(targets.size() == 2);
    run.apply(targets, std::vector{result(Verdict::accepted), down}, noon + 1s, 0);
    CHECK(tally(run) == "1 0 0 1 1");
    CHECK(waiting_ids(run) == Ids{1});
    CHECK(run.range().first == 3);
    CHECK(run.next_run() == noon + 9s);
}

TEST_CASE("untried chunks do not all come back at once", "[broadcast]")
{
    for (std::uint64_t const entropy : {0U, 700U, 2'000U}) {
        ChunkRun run(chunk_of(1), Carrier::fcm, devices_up_to(1), config(), noon);
        run.apply(run.take_targets(), std::vector{down}, noon, entropy);
        CHECK(run.next_run() == noon + 8s + std::chrono::milliseconds(entropy));
    }
}

TEST_CASE("untried devices keep their place for an hour after the chunk's first run", "[broadcast]")
{
    auto const at = [](core::Time now) {
        return run_answered(
            later_chunk(1, 2), {waiting_device(1), device(2), device(3)}, {down, down, down}, now);
    };
    CHECK(tally(at(noon + 1h - 1s)) == "0 0 0 1 2");
    auto const late = at(noon + 1h);
    CHECK(tally(late) == "0 3 0 0");
    CHECK_FALSE(late.next_run());
    CHECK(ChunkRun::wait_end(chunk_of(1), noon + 5min) == noon + 1h + 5min);
    CHECK(ChunkRun::wait_end(later_chunk(1), noon + 5min) == noon + 1h);
}

TEST_CASE("devices of a carrier that is not configured fail", "[broadcast]")
{
    ChunkRun const run(chunk_of(2), Carrier::apns, {device(2)}, nullptr, noon);
    CHECK(tally(run) == "0 1 1 0");
    CHECK_FALSE(run.next_run());
    CHECK(run.config() == nullptr);
}

TEST_CASE(
    "a device that was registered after its token became invalid or after it was read is kept", "[broadcast]")
{
    auto before = result(Verdict::gone, "Unregistered");
    before.gone_since = noon - 10min;
    auto later = result(Verdict::gone, "Unregistered");
    later.gone_since = noon + 10min;
    auto const run = run_answered({before, later, result(Verdict::gone, "UNREGISTERED")});
    auto const& gone = run.gone();
    REQUIRE(gone.size() == 3);
    CHECK(gone[0].device_id == 1);
    CHECK(gone[0].registered_at == noon - 10min);
    CHECK(gone[1].registered_at == noon);
    CHECK(gone[2].registered_at == noon);
}

TEST_CASE("all remaining devices of a cancelled broadcast fail", "[broadcast]")
{
    auto const run = ChunkRun::cancelled(later_chunk(3, 4), Carrier::fcm, noon);
    CHECK(tally(run) == "0 7 0 0");
    CHECK_FALSE(run.next_run());
}
