#include "workers/broadcast.hpp"

#include "crypto/random.hpp"
#include "jobs/queue.hpp"
#include "observe/log.hpp"
#include "observe/trace.hpp"
#include "storage/events.hpp"

#include <algorithm>
#include <latch>
#include <utility>

namespace notify {

namespace {

using jobs::Outcome;
using namespace std::chrono_literals;

constexpr std::size_t chunks_a_step = 20; ///< chunks that are cut in one transaction
constexpr auto patience = 30s;            ///< time limit for a chunk's pushes; another run sends the rest

/// Writes the result of a run: devices, platforms and counters. Precondition: the caller has ended or
/// postponed the job.
void record(
    pg::Tx& tx, std::int64_t scope_id, BroadcastRun const& run, Pruning const& pruning, core::Time now)
{
    auto const& chunk = run.chunk();
    Settled settled = run.settled();
    bool const goes_on =
        !run.waiting().empty() && !broadcasts::lock_cancelled(tx, scope_id, chunk.broadcast_id);
    if (!goes_on) settled.failed += static_cast<std::int64_t>(run.waiting().size());
    bool const there = goes_on ? broadcast_chunks::keep(tx, scope_id, chunk.id, run.waiting(),
                                     run.waits_for_platform(), run.began())
                               : broadcast_chunks::remove(tx, scope_id, chunk.id);
    if (!there) return;
    broadcasts::settle(tx, scope_id, chunk.broadcast_id, settled);
    // If a credential was replaced or a pause ended during this run, no resume job will make the chunk due,
    // so it is made due here.
    if (!halt(tx, scope_id, run.halted(), now) && goes_on)
        jobs::enqueue(tx, broadcast_chunks::queue, scope_id, chunk.id);
    prune(tx, scope_id, pruning, now);
    // This call comes last, because it may take the scope's lock. Holders of the scope's lock never wait for
    // a platform's row, so there is no deadlock.
    events::broadcast_moved(tx, scope_id, chunk.broadcast_id, now);
}

} // namespace

// --- BroadcastCutter

jobs::Outcome BroadcastCutter::operator()(jobs::Claim& claim, std::stop_token const& stop) const
{
    auto const owner = owner_of(deps_, claim.scope_id);
    if (!owner) return Outcome::done();
    if (owner->suspended) return Outcome::not_yet(deps_.clock.now() + suspended_pause);
    while (step(claim)) {
        if (stop.stop_requested()) return Outcome::not_yet(deps_.clock.now());
    }
    return Outcome::done();
}

/// Returns whether devices are left to be cut into chunks.
bool BroadcastCutter::step(jobs::Claim& claim) const
{
    core::Time const now = deps_.clock.now();
    auto const scope_id = claim.scope_id;
    auto const id = claim.ref;
    return deps_.db.transact_blocking(pg::Scopes(scope_id), [&](pg::Tx& tx) {
        auto const uncut = broadcasts::lock_uncut(tx, scope_id, id);
        if (!uncut) return false;
        claim.traceparent = uncut->traceparent;
        auto const ranges = broadcast_chunks::cut(
            tx, scope_id, uncut->after, uncut->last, deps_.broadcast_chunk, chunks_a_step);
        broadcast_chunks::insert(tx, scope_id, id, ranges);
        std::int64_t devices = 0;
        for (auto const& range : ranges)
            devices += range.devices;
        bool const all = ranges.size() < chunks_a_step;
        broadcasts::enqueued(tx, scope_id, id, devices, all ? uncut->last : ranges.back().last, all, now);
        events::broadcast_moved(tx, scope_id, id, now);
        return !all;
    });
}

// --- BroadcastSender

jobs::Outcome BroadcastSender::operator()(jobs::Claim& claim, std::stop_token const& stop)
{
    core::Time const now = deps_.clock.now();
    auto const owner = owner_of(deps_, claim.scope_id);
    if (!owner) return Outcome::done();
    if (owner->suspended) return Outcome::not_yet(now + suspended_pause);
    auto loaded = load(claim);
    if (!loaded) return Outcome::done();
    auto& [chunk, message, devices, platforms] = *loaded;
    claim.traceparent = message.traceparent;
    if (message.cancelled) {
        auto const run = std::make_shared<BroadcastRun>(BroadcastRun::cancelled(chunk, now));
        return end(claim.scope_id, run, {});
    }
    auto const push = rendered(owner->scope, chunk.broadcast_id, message);
    auto const run = std::make_shared<BroadcastRun>(chunk, std::move(devices), std::move(platforms), now);
    auto pruning = ask(claim, *run, push, stop);
    return end(claim.scope_id, run, std::move(pruning));
}

void BroadcastSender::give_up(pg::Tx& tx, jobs::Claim const& claim) const
{
    auto chunk = broadcast_chunks::find(tx, claim.scope_id, claim.ref);
    if (!chunk) return;
    core::Time const now = deps_.clock.now();
    record(tx, claim.scope_id, BroadcastRun::cancelled(*std::move(chunk), now), {}, now);
}

std::optional<BroadcastSender::Loaded> BroadcastSender::load(jobs::Claim const& claim) const
{
    return deps_.db.transact_blocking(pg::Scopes(claim.scope_id), [&](pg::Tx& tx) -> std::optional<Loaded> {
        auto chunk = broadcast_chunks::find(tx, claim.scope_id, claim.ref);
        if (!chunk) return std::nullopt;
        auto message = broadcasts::message(tx, claim.scope_id, chunk->broadcast_id);
        if (!message) return std::nullopt;
        Loaded loaded{.chunk = *chunk, .message = *std::move(message), .devices = {}, .platforms = {}};
        if (loaded.message.cancelled) return loaded;
        loaded.devices = broadcast_chunks::devices(tx, claim.scope_id, *chunk);
        loaded.platforms = platforms::load(tx, claim.scope_id);
        return loaded;
    });
}

SharedPush BroadcastSender::rendered(
    core::Scope const& scope, core::Uuid const& id, broadcasts::Message const& message)
{
    if (auto known = rendered_.find(id)) return known;
    auto push = std::make_shared<RenderedPush const>(render_push({.id = id,
        .broadcast = true,
        .title = message.title,
        .body = message.body,
        .data = {},
        .created_at = message.created_at,
        .traceparent = message.traceparent,
        .scope = scope}));
    rendered_.put(id, push);
    return push;
}

/// The batch for a carrier; null if no devices of the carrier are due. If the credential cannot be decrypted,
/// the batch already has its answers.
std::unique_ptr<PushBatch> BroadcastSender::batch_of(
    jobs::Claim const& claim, BroadcastRun& run, PlatformKind kind, SharedPush const& push)
{
    auto targets = run.take_targets(kind);
    if (targets.empty()) return nullptr;
    auto batch = std::make_unique<PushBatch>();
    batch->push = push;
    batch->targets = std::move(targets);
    batch->bulk = true;
    batch->keep_provider_ids = false;
    try {
        batch->credential = carriers_.credential_of(claim.scope_id, *run.platform_of(kind));
    } catch (std::exception const& error) { // counts as an attempt, so that retries end
        deps_.logger.error("cannot use the push credential of a broadcast",
            {{"platform", to_string(kind)}, {"scopeId", claim.scope_id},
                {"what", observe::first_line(error.what())},
                {"traceId", observe::trace_id_of(claim.traceparent)}});
        PushAnswer answer;
        answer.handed_out = true;
        batch->answers.assign(batch->targets.size(), answer);
    }
    return batch;
}

/// Waits until all batches are answered, and returns them. The result includes the batches that already had
/// their answers.
BroadcastSender::Batches BroadcastSender::send(Batches batches, std::stop_token const& stop) const
{
    Batches answered;
    auto const to_be_sent = [](auto const& batch) { return batch && batch->credential; };
    std::latch left(std::ranges::count_if(batches, to_be_sent));
    for (std::size_t kind = 0; kind < batches.size(); ++kind) {
        if (!to_be_sent(batches[kind])) {
            answered[kind] = std::move(batches[kind]);
            continue;
        }
        batches[kind]->deadline = std::chrono::steady_clock::now() + patience;
        batches[kind]->stop = stop;
        batches[kind]->done = [&left, &slot = answered[kind]](std::unique_ptr<PushBatch> done) {
            slot = std::move(done);
            left.count_down();
        };
        deps_.push.send(std::move(batches[kind]));
    }
    left.wait();
    return answered;
}

Pruning BroadcastSender::ask(
    jobs::Claim const& claim, BroadcastRun& run, SharedPush const& push, std::stop_token const& stop)
{
    Batches batches;
    for (std::size_t kind = 0; kind < batches.size(); ++kind)
        batches[kind] = batch_of(claim, run, static_cast<PlatformKind>(kind), push);
    auto const answered = send(std::move(batches), stop);
    auto pruning = take(claim, run, answered);
    carriers_.report(claim, run.halted());
    return pruning;
}

Pruning BroadcastSender::take(jobs::Claim const& claim, BroadcastRun& run, Batches const& answered)
{
    Pruning pruning;
    core::Time const now = deps_.clock.now();
    for (std::size_t i = 0; i < answered.size(); ++i) {
        auto const& batch = answered[i];
        if (!batch) continue;
        auto const kind = static_cast<PlatformKind>(i);
        run.apply(kind, batch->targets, batch->answers, now, crypto::random_u64());
        if (!batch->credential) continue;
        auto const& platform = *run.platform_of(kind);
        for (auto const& answer : batch->answers)
            carriers_.count(claim, platform, answer);
        carriers_.judge(claim.scope_id, platform, run.gone(kind), pruning);
    }
    return pruning;
}

jobs::Outcome BroadcastSender::end(
    std::int64_t scope_id, std::shared_ptr<BroadcastRun const> run, Pruning pruning) const
{
    auto const again = run->again();
    auto write = [=, now = deps_.clock.now(), run = std::move(run), pruning = std::move(pruning)](
                     pg::Tx& tx) { record(tx, scope_id, *run, pruning, now); };
    return again ? Outcome::not_yet(*again, std::move(write)) : Outcome::done(std::move(write));
}

} // namespace notify
