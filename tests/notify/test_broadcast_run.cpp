#include "workers/broadcast_run.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;
using namespace notify;

namespace {

core::Time const noon = *core::parse_rfc3339("2026-03-01T12:00:00Z");

PushAnswer answer(
    Verdict verdict, std::string reason = {}, std::optional<std::chrono::seconds> retry_after = {})
{
    PushAnswer a;
    a.verdict = verdict;
    a.reason = std::move(reason);
    a.retry_after = retry_after;
    a.handed_out = true;
    return a;
}

/// The result of a push that was never sent.
PushAnswer untried(
    Verdict verdict, std::string_view reason, std::optional<std::chrono::seconds> retry_after = {})
{
    auto a = answer(verdict, std::string(reason), retry_after);
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

broadcast_chunks::Device device(std::int64_t id, PlatformKind kind = PlatformKind::fcm, Tries tries = {})
{
    return {id, "token-" + std::to_string(id), kind, tries};
}

platforms::Sealed platform(PlatformKind kind)
{
    platforms::Sealed p;
    p.kind = kind;
    p.updated_at = noon - 1h;
    return p;
}

std::vector<platforms::Sealed> both()
{
    return {platform(PlatformKind::fcm), platform(PlatformKind::apns)};
}

/// A run that pushes to devices 1, 2, … through FCM and gets these responses.
BroadcastRun run_answered(std::vector<PushAnswer> const& answers, core::Time now = noon)
{
    std::vector<broadcast_chunks::Device> devices;
    for (std::size_t i = 1; i <= answers.size(); ++i)
        devices.push_back(device(static_cast<std::int64_t>(i)));
    BroadcastRun run(chunk_of(static_cast<std::int64_t>(answers.size())), devices, both(), now);
    auto const targets = run.take_targets(PlatformKind::fcm);
    run.apply(PlatformKind::fcm, targets, answers, now, 0);
    return run;
}

/// The numbers of devices: `sent failed invalid waiting`.
std::string tally(BroadcastRun const& run)
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
        Tries tries{.made = 1, .first = noon};
        core::Time now = noon;
        for (; tries.made <= max_broadcast_retries; ++tries.made) {
            auto const next = next_try(tries, now, std::nullopt, noon + 1h, entropy);
            REQUIRE(next);
            CHECK(*next > now);
            CHECK(*next < noon + 1min);
            now = *next;
        }
        CHECK_FALSE(next_try(tries, now, std::nullopt, noon + 1h, entropy));
    }
}

TEST_CASE("a device is not retried after the minute, unless the carrier sent a Retry-After", "[broadcast]")
{
    Tries const tries{.made = 2, .first = noon};
    CHECK_FALSE(next_try(tries, noon + 58s, std::nullopt, noon + 1h, 0));
    CHECK(next_try(tries, noon + 58s, 120s, noon + 1h, 0) == noon + 58s + 120s);
    CHECK_FALSE(next_try(tries, noon + 58s, 3600s, noon + 1h, 0)); // later than the chunk may wait
    CHECK_FALSE(next_try({.made = 4, .first = noon}, noon, 1s, noon + 1h, 0));
}

TEST_CASE("a carrier's Retry-After makes a retry later, and never earlier", "[broadcast]")
{
    Tries const tries{.made = 1, .first = noon};
    auto const plain = next_try(tries, noon, std::nullopt, noon + 1h, 0);
    CHECK(next_try(tries, noon, 0s, noon + 1h, 0) == plain);
    CHECK(next_try(tries, noon, 30s, noon + 1h, 0) == noon + 30s);
}

// --- a run

TEST_CASE("every device gets one push, through the carrier of its platform", "[broadcast]")
{
    BroadcastRun run(chunk_of(3), {device(1), device(2, PlatformKind::apns), device(3)}, both(), noon);
    auto const fcm = run.take_targets(PlatformKind::fcm), apns = run.take_targets(PlatformKind::apns);
    REQUIRE(fcm.size() == 2);
    REQUIRE(apns.size() == 1);
    CHECK(fcm[1].device_id == 3);
    CHECK(fcm[1].token == "token-3");
    CHECK(apns[0].device_id == 2);
    CHECK(apns[0].kind == PlatformKind::apns);
    CHECK(run.take_targets(PlatformKind::fcm).empty());
}

TEST_CASE("the carrier's response decides the result of the device", "[broadcast]")
{
    auto const run = run_answered({answer(Verdict::accepted), answer(Verdict::accepted),
        answer(Verdict::gone, "UNREGISTERED"), answer(Verdict::refused, "INVALID_ARGUMENT")});
    CHECK(tally(run) == "2 1 1 0");
    CHECK_FALSE(run.again());
    CHECK(run.halted().empty());
}

TEST_CASE("a device that was unregistered before its push counts as an invalid token", "[broadcast]")
{
    BroadcastRun run(chunk_of(3), {device(2)}, both(), noon);
    auto const targets = run.take_targets(PlatformKind::fcm);
    run.apply(PlatformKind::fcm, targets, std::vector{answer(Verdict::accepted)}, noon, 0);
    CHECK(tally(run) == "1 0 2 0");
}

TEST_CASE("a transient failure is retried three times", "[broadcast]")
{
    auto const run = run_answered({answer(Verdict::transient, "INTERNAL"), answer(Verdict::accepted)});
    CHECK(tally(run) == "1 0 0 1");
    REQUIRE(run.again());
    CHECK(*run.again() > noon);
    CHECK(*run.again() <= noon + 4s);
    REQUIRE(run.waiting().size() == 1);
    CHECK(run.waiting()[0].device_id == 1);
    CHECK(run.waiting()[0].tries.made == 1);
    CHECK(run.waiting()[0].tries.first == noon);

    auto chunk = chunk_of(1);
    chunk.began_at = noon;
    for (std::int64_t made = 1; made <= 3; ++made) {
        BroadcastRun next(chunk, {device(1, PlatformKind::fcm, {made, noon})}, both(), noon + 10s);
        auto const targets = next.take_targets(PlatformKind::fcm);
        next.apply(
            PlatformKind::fcm, targets, std::vector{answer(Verdict::transient, "INTERNAL")}, noon + 10s, 0);
        CHECK(tally(next) == (made < 3 ? "0 0 0 1" : "0 1 0 0"));
        CHECK(next.began() == noon);
    }
}

TEST_CASE("a push that was never sent does not count as an attempt", "[broadcast]")
{
    auto const verdict = GENERATE(0, 1, 2, 3);
    std::vector const answers{untried(Verdict::transient, push_reasons::stopped),
        untried(Verdict::transient, push_reasons::busy), untried(Verdict::transient, push_reasons::not_sent),
        untried(Verdict::throttled, "QUOTA_EXCEEDED", 90s)};
    auto const run = run_answered({answers[static_cast<std::size_t>(verdict)]});
    CHECK(tally(run) == "0 0 0 1");
    CHECK(run.waiting()[0].tries.made == 0);
    CHECK_FALSE(run.waiting()[0].tries.first);
    CHECK(run.again() == noon + (verdict == 3 ? 90s : 1s));
    CHECK_FALSE(run.waits_for_platform());
}

TEST_CASE("each device of a chunk has its own retry time", "[broadcast]")
{
    auto const run = run_answered(
        {answer(Verdict::transient, "INTERNAL"), answer(Verdict::throttled, "QUOTA_EXCEEDED", 600s)});
    REQUIRE(tally(run) == "0 0 0 2");
    auto const soon = run.waiting()[0].not_before.value();
    CHECK(soon <= noon + 4s);
    CHECK(run.waiting()[1].not_before == noon + 600s);
    CHECK(run.again() == soon);

    auto chunk = chunk_of(2);
    chunk.began_at = noon;
    auto first = device(1, PlatformKind::fcm, {1, noon}), second = device(2, PlatformKind::fcm, {1, noon});
    first.not_before = soon;
    second.not_before = noon + 600s;
    BroadcastRun next(chunk, {first, second}, both(), soon);
    auto const targets = next.take_targets(PlatformKind::fcm);
    REQUIRE(targets.size() == 1);
    CHECK(targets[0].device_id == 1);
    next.apply(PlatformKind::fcm, targets, std::vector{answer(Verdict::accepted)}, soon, 0);
    REQUIRE(tally(next) == "1 0 0 1");
    CHECK(next.waiting()[0].device_id == 2);
    CHECK(next.waiting()[0].tries.made == 1);
    CHECK(next.waiting()[0].not_before == noon + 600s);
    CHECK(next.again() == noon + 600s);
}

TEST_CASE("the end of a pause does not affect devices that wait for another reason", "[broadcast]")
{
    auto chunk = chunk_of(2);
    chunk.began_at = noon;
    auto later = device(1, PlatformKind::fcm, {1, noon});
    later.not_before = noon + 4s;
    BroadcastRun run(chunk, {later, device(2, PlatformKind::apns)}, both(), noon + 2s);
    CHECK(run.take_targets(PlatformKind::fcm).empty());
    CHECK(run.take_targets(PlatformKind::apns).size() == 1);
    CHECK(tally(run) == "0 0 0 1");
    CHECK(run.again() == noon + 4s);
    CHECK_FALSE(run.waits_for_platform());
}

TEST_CASE("a failed connection counts as an attempt", "[broadcast]")
{
    auto const run = run_answered({untried(Verdict::transient, push_reasons::connect)});
    CHECK(run.waiting()[0].tries.made == 1);
}

TEST_CASE("a chunk that has waited an hour for its carrier fails after one more attempt", "[broadcast]")
{
    auto chunk = chunk_of(1);
    chunk.began_at = noon - 1h;
    BroadcastRun run(chunk, {device(1)}, both(), noon);
    auto const targets = run.take_targets(PlatformKind::fcm);
    REQUIRE(targets.size() == 1);
    run.apply(PlatformKind::fcm, targets, std::vector{untried(Verdict::transient, push_reasons::not_sent)},
        noon, 0);
    CHECK(tally(run) == "0 1 0 0");
}

TEST_CASE("a refused credential pauses its platform, and its devices wait", "[broadcast]")
{
    auto const run = run_answered({answer(Verdict::accepted),
        answer(Verdict::credential, "PERMISSION_DENIED"), untried(Verdict::credential, "PERMISSION_DENIED")});
    CHECK(tally(run) == "1 0 0 2");
    CHECK(run.waiting()[0].tries.made == 0);
    CHECK_FALSE(run.waiting()[0].not_before);
    CHECK(run.waits_for_platform());
    CHECK(run.again() == noon + 1h);
    REQUIRE(run.halted().size() == 1);
    CHECK(run.halted()[0].kind == PlatformKind::fcm);
    CHECK(run.halted()[0].refused == "PERMISSION_DENIED");
    CHECK(run.halted()[0].seen == noon - 1h);
}

TEST_CASE("a paused platform gets no requests, and the other platform gets its requests", "[broadcast]")
{
    auto platforms = both();
    platforms[1].paused_until = noon + 20min;
    platforms[1].paused_reason = "InvalidProviderToken";
    BroadcastRun run(chunk_of(2), {device(1), device(2, PlatformKind::apns)}, platforms, noon);
    CHECK(run.take_targets(PlatformKind::apns).empty());
    auto const targets = run.take_targets(PlatformKind::fcm);
    run.apply(PlatformKind::fcm, targets, std::vector{answer(Verdict::accepted)}, noon, 0);
    CHECK(tally(run) == "1 0 0 1");
    CHECK(run.again() == noon + 20min);
    CHECK(run.waits_for_platform());
    REQUIRE(run.halted().size() == 1);
    CHECK_FALSE(run.halted()[0].refused);

    // After an hour, the devices of the paused platform fail.
    platforms[1].paused_until = noon + 2h;
    auto chunk = chunk_of(1);
    chunk.began_at = noon;
    CHECK(tally(BroadcastRun(chunk, {device(2, PlatformKind::apns)}, platforms, noon + 59min)) == "0 0 0 1");
    CHECK(tally(BroadcastRun(chunk, {device(2, PlatformKind::apns)}, platforms, noon + 1h)) == "0 1 0 0");
}

TEST_CASE("devices of a platform that is not configured fail", "[broadcast]")
{
    BroadcastRun const run(
        chunk_of(2), {device(1), device(2, PlatformKind::apns)}, {platform(PlatformKind::fcm)}, noon);
    CHECK(tally(run) == "0 1 0 0");
}

TEST_CASE(
    "a device that was registered after its token became invalid or after it was read is kept", "[broadcast]")
{
    auto before = answer(Verdict::gone, "Unregistered");
    before.gone_since = noon - 10min;
    auto later = answer(Verdict::gone, "Unregistered");
    later.gone_since = noon + 10min;
    auto const run = run_answered({before, later, answer(Verdict::gone, "UNREGISTERED")});
    auto const& gone = run.gone(PlatformKind::fcm);
    REQUIRE(gone.size() == 3);
    CHECK(gone[0].device_id == 1);
    CHECK(gone[0].registered_at == noon - 10min);
    CHECK(gone[1].registered_at == noon);
    CHECK(gone[2].registered_at == noon);
    CHECK(run.gone(PlatformKind::apns).empty());
}

TEST_CASE("all remaining devices of a cancelled broadcast fail", "[broadcast]")
{
    auto const run = BroadcastRun::cancelled(chunk_of(7), noon);
    CHECK(tally(run) == "0 7 0 0");
    CHECK_FALSE(run.again());
}
