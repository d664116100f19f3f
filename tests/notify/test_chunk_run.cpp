#include "workers/broadcast_chunk_run.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;
using namespace notify;

namespace {

core::Time const noon = *core::parse_rfc3339("2026-03-01T12:00:00Z");

PushResult result(
    Verdict verdict, std::string reason = {}, std::optional<std::chrono::seconds> retry_after = {})
{
    PushResult a;
    a.verdict = verdict;
    a.reason = std::move(reason);
    a.retry_after = retry_after;
    a.handed_out = true;
    return a;
}

/// The result of a push that was never sent.
PushResult untried(
    Verdict verdict, std::string_view reason, std::optional<std::chrono::seconds> retry_after = {})
{
    auto a = result(verdict, std::string(reason), retry_after);
    a.handed_out = false;
    return a;
}

broadcast_chunks::Chunk chunk_of(std::int64_t left)
{
    broadcast_chunks::Chunk c;
    c.id = core::Uuid::v7();
    c.broadcast_id = core::Uuid::v7();
    c.range = {1, left, left};
    c.left = left;
    c.read_at = noon;
    return c;
}

broadcast_chunks::Device device(std::int64_t id, Carrier carrier = Carrier::fcm, DeviceAttempts attempts = {})
{
    return {id, "token-" + std::to_string(id), carrier, attempts};
}

carrier_configs::Sealed config(Carrier carrier)
{
    carrier_configs::Sealed c;
    c.carrier = carrier;
    c.updated_at = noon - 1h;
    return c;
}

std::vector<carrier_configs::Sealed> both()
{
    return {config(Carrier::fcm), config(Carrier::apns)};
}

/// A run that pushes to devices 1, 2, … through FCM and gets these responses.
ChunkRun run_answered(std::vector<PushResult> const& results, core::Time now = noon)
{
    std::vector<broadcast_chunks::Device> devices;
    for (std::size_t i = 1; i <= results.size(); ++i)
        devices.push_back(device(static_cast<std::int64_t>(i)));
    ChunkRun run(chunk_of(static_cast<std::int64_t>(results.size())), devices, both(), now);
    auto const targets = run.take_targets(Carrier::fcm);
    run.apply(Carrier::fcm, targets, results, now, 0);
    return run;
}

/// The numbers of devices: `sent failed invalid waiting`.
std::string tally(ChunkRun const& run)
{
    auto const& s = run.settled();
    return std::to_string(s.sent) + ' ' + std::to_string(s.failed) + ' ' + std::to_string(s.invalid) + ' ' +
           std::to_string(run.waiting().size());
}

} // namespace

// --- the time of a retry

TEST_CASE("a broadcast retries a device three times within a minute", "[broadcast]")
{
    for (std::uint64_t const entropy : {std::uint64_t{0}, ~std::uint64_t{0}}) {
        DeviceAttempts attempts{.made = 1, .first = noon};
        core::Time now = noon;
        for (; attempts.made <= max_broadcast_retries; ++attempts.made) {
            auto const next = next_device_attempt(attempts, now, std::nullopt, noon + 1h, entropy);
            REQUIRE(next);
            CHECK(*next > now);
            CHECK(*next < noon + 1min);
            now = *next;
        }
        CHECK_FALSE(next_device_attempt(attempts, now, std::nullopt, noon + 1h, entropy));
    }
}

TEST_CASE("a device is not retried after the minute, unless the carrier sent a Retry-After", "[broadcast]")
{
    DeviceAttempts const attempts{.made = 2, .first = noon};
    CHECK_FALSE(next_device_attempt(attempts, noon + 58s, std::nullopt, noon + 1h, 0));
    CHECK(next_device_attempt(attempts, noon + 58s, 120s, noon + 1h, 0) == noon + 58s + 120s);
    CHECK_FALSE(
        next_device_attempt(attempts, noon + 58s, 3600s, noon + 1h, 0)); // later than the chunk may wait
    CHECK_FALSE(next_device_attempt({.made = 4, .first = noon}, noon, 1s, noon + 1h, 0));
}

TEST_CASE("a carrier's Retry-After makes a retry later, and never earlier", "[broadcast]")
{
    DeviceAttempts const attempts{.made = 1, .first = noon};
    auto const plain = next_device_attempt(attempts, noon, std::nullopt, noon + 1h, 0);
    CHECK(next_device_attempt(attempts, noon, 0s, noon + 1h, 0) == plain);
    CHECK(next_device_attempt(attempts, noon, 30s, noon + 1h, 0) == noon + 30s);
}

// --- a run

TEST_CASE("every device gets one push, through the carrier of its platform", "[broadcast]")
{
    ChunkRun run(chunk_of(3), {device(1), device(2, Carrier::apns), device(3)}, both(), noon);
    auto const fcm = run.take_targets(Carrier::fcm), apns = run.take_targets(Carrier::apns);
    REQUIRE(fcm.size() == 2);
    REQUIRE(apns.size() == 1);
    CHECK(fcm[1].device_id == 3);
    CHECK(fcm[1].token == "token-3");
    CHECK(apns[0].device_id == 2);
    CHECK(apns[0].carrier == Carrier::apns);
    CHECK(run.take_targets(Carrier::fcm).empty());
}

TEST_CASE("the carrier's response decides the result of the device", "[broadcast]")
{
    auto const run = run_answered({result(Verdict::accepted), result(Verdict::accepted),
        result(Verdict::gone, "UNREGISTERED"), result(Verdict::refused, "INVALID_ARGUMENT")});
    CHECK(tally(run) == "2 1 1 0");
    CHECK_FALSE(run.next_run());
    CHECK(run.paused_carriers().empty());
}

TEST_CASE("a device that was unregistered before its push counts as an invalid token", "[broadcast]")
{
    ChunkRun run(chunk_of(3), {device(2)}, both(), noon);
    auto const targets = run.take_targets(Carrier::fcm);
    run.apply(Carrier::fcm, targets, std::vector{result(Verdict::accepted)}, noon, 0);
    CHECK(tally(run) == "1 0 2 0");
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

    auto chunk = chunk_of(1);
    chunk.began_at = noon;
    for (std::int64_t made = 1; made <= 3; ++made) {
        ChunkRun next(chunk, {device(1, Carrier::fcm, {made, noon})}, both(), noon + 10s);
        auto const targets = next.take_targets(Carrier::fcm);
        next.apply(Carrier::fcm, targets, std::vector{result(Verdict::transient, "INTERNAL")}, noon + 10s, 0);
        CHECK(tally(next) == (made < 3 ? "0 0 0 1" : "0 1 0 0"));
        CHECK(next.began() == noon);
    }
}

TEST_CASE("a push that was never sent does not count as an attempt", "[broadcast]")
{
    auto const verdict = GENERATE(0, 1, 2, 3);
    std::vector const results{untried(Verdict::transient, push_reasons::stopped),
        untried(Verdict::transient, push_reasons::busy), untried(Verdict::transient, push_reasons::not_sent),
        untried(Verdict::throttled, "QUOTA_EXCEEDED", 90s)};
    auto const run = run_answered({results[static_cast<std::size_t>(verdict)]});
    CHECK(tally(run) == "0 0 0 1");
    CHECK(run.waiting()[0].attempts.made == 0);
    CHECK_FALSE(run.waiting()[0].attempts.first);
    CHECK(run.next_run() == noon + (verdict == 3 ? 90s : 1s));
    CHECK_FALSE(run.waits_for_carrier());
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

    auto chunk = chunk_of(2);
    chunk.began_at = noon;
    auto first = device(1, Carrier::fcm, {1, noon}), second = device(2, Carrier::fcm, {1, noon});
    first.not_before = soon;
    second.not_before = noon + 600s;
    ChunkRun next(chunk, {first, second}, both(), soon);
    auto const targets = next.take_targets(Carrier::fcm);
    REQUIRE(targets.size() == 1);
    CHECK(targets[0].device_id == 1);
    next.apply(Carrier::fcm, targets, std::vector{result(Verdict::accepted)}, soon, 0);
    REQUIRE(tally(next) == "1 0 0 1");
    CHECK(next.waiting()[0].device_id == 2);
    CHECK(next.waiting()[0].attempts.made == 1);
    CHECK(next.waiting()[0].not_before == noon + 600s);
    CHECK(next.next_run() == noon + 600s);
}

TEST_CASE("the end of a pause does not affect devices that wait for another reason", "[broadcast]")
{
    auto chunk = chunk_of(2);
    chunk.began_at = noon;
    auto later = device(1, Carrier::fcm, {1, noon});
    later.not_before = noon + 4s;
    ChunkRun run(chunk, {later, device(2, Carrier::apns)}, both(), noon + 2s);
    CHECK(run.take_targets(Carrier::fcm).empty());
    CHECK(run.take_targets(Carrier::apns).size() == 1);
    CHECK(tally(run) == "0 0 0 1");
    CHECK(run.next_run() == noon + 4s);
    CHECK_FALSE(run.waits_for_carrier());
}

TEST_CASE("a failed connection counts as an attempt", "[broadcast]")
{
    auto const run = run_answered({untried(Verdict::transient, push_reasons::connect)});
    CHECK(run.waiting()[0].attempts.made == 1);
}

TEST_CASE("a chunk that has waited an hour for its carrier fails after one more attempt", "[broadcast]")
{
    auto chunk = chunk_of(1);
    chunk.began_at = noon - 1h;
    ChunkRun run(chunk, {device(1)}, both(), noon);
    auto const targets = run.take_targets(Carrier::fcm);
    REQUIRE(targets.size() == 1);
    run.apply(
        Carrier::fcm, targets, std::vector{untried(Verdict::transient, push_reasons::not_sent)}, noon, 0);
    CHECK(tally(run) == "0 1 0 0");
}

TEST_CASE("a refused credential pauses its carrier, and its devices wait", "[broadcast]")
{
    auto const run = run_answered({result(Verdict::accepted),
        result(Verdict::credential, "PERMISSION_DENIED"), untried(Verdict::credential, "PERMISSION_DENIED")});
    CHECK(tally(run) == "1 0 0 2");
    CHECK(run.waiting()[0].attempts.made == 0);
    CHECK_FALSE(run.waiting()[0].not_before);
    CHECK(run.waits_for_carrier());
    CHECK(run.next_run() == noon + 1h);
    REQUIRE(run.paused_carriers().size() == 1);
    CHECK(run.paused_carriers()[0].carrier == Carrier::fcm);
    CHECK(run.paused_carriers()[0].refused == "PERMISSION_DENIED");
    CHECK(run.paused_carriers()[0].seen == noon - 1h);
}

TEST_CASE("a paused carrier gets no requests, and the other carrier gets its requests", "[broadcast]")
{
    auto configs = both();
    configs[1].paused_until = noon + 20min;
    configs[1].paused_reason = "InvalidProviderToken";
    ChunkRun run(chunk_of(2), {device(1), device(2, Carrier::apns)}, configs, noon);
    CHECK(run.take_targets(Carrier::apns).empty());
    auto const targets = run.take_targets(Carrier::fcm);
    run.apply(Carrier::fcm, targets, std::vector{result(Verdict::accepted)}, noon, 0);
    CHECK(tally(run) == "1 0 0 1");
    CHECK(run.next_run() == noon + 20min);
    CHECK(run.waits_for_carrier());
    REQUIRE(run.paused_carriers().size() == 1);
    CHECK_FALSE(run.paused_carriers()[0].refused);

    // After an hour, the devices of the paused carrier fail.
    configs[1].paused_until = noon + 2h;
    auto chunk = chunk_of(1);
    chunk.began_at = noon;
    CHECK(tally(ChunkRun(chunk, {device(2, Carrier::apns)}, configs, noon + 59min)) == "0 0 0 1");
    CHECK(tally(ChunkRun(chunk, {device(2, Carrier::apns)}, configs, noon + 1h)) == "0 1 0 0");
}

TEST_CASE("devices of a carrier that is not configured fail", "[broadcast]")
{
    ChunkRun const run(chunk_of(2), {device(1), device(2, Carrier::apns)}, {config(Carrier::fcm)}, noon);
    CHECK(tally(run) == "0 1 0 0");
}

TEST_CASE(
    "a device that was registered after its token became invalid or after it was read is kept", "[broadcast]")
{
    auto before = result(Verdict::gone, "Unregistered");
    before.gone_since = noon - 10min;
    auto later = result(Verdict::gone, "Unregistered");
    later.gone_since = noon + 10min;
    auto const run = run_answered({before, later, result(Verdict::gone, "UNREGISTERED")});
    auto const& gone = run.gone(Carrier::fcm);
    REQUIRE(gone.size() == 3);
    CHECK(gone[0].device_id == 1);
    CHECK(gone[0].registered_at == noon - 10min);
    CHECK(gone[1].registered_at == noon);
    CHECK(gone[2].registered_at == noon);
    CHECK(run.gone(Carrier::apns).empty());
}

TEST_CASE("all remaining devices of a cancelled broadcast fail", "[broadcast]")
{
    auto const run = ChunkRun::cancelled(chunk_of(7), noon);
    CHECK(tally(run) == "0 7 0 0");
    CHECK_FALSE(run.next_run());
}
