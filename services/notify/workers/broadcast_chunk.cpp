#include "workers/broadcast_chunk.hpp"

#include "crypto/random.hpp"
#include "jobs/queue.hpp"
#include "observe/log.hpp"
#include "observe/trace.hpp"
#include "pg/database.hpp"

#include <algorithm>
#include <latch>
#include <utility>

namespace notify {

namespace {

using jobs::Outcome;
using namespace std::chrono_literals;

constexpr auto send_timeout = 30s; ///< time limit for a chunk's pushes; another run sends the rest

/// Writes the result of a run: devices, pauses and counters. Precondition: the caller has ended or postponed
/// the job.
void record(pg::Tx& tx, core::ScopeId scope_id, ChunkRun const& run, Pruning const& pruning, core::Time now)
{
    auto const& chunk = run.chunk();
    Settled settled = run.settled();
    bool const goes_on =
        !run.waiting().empty() && !broadcasts::lock_cancelled(tx, scope_id, chunk.broadcast_id);
    if (!goes_on) settled.failed += static_cast<std::int64_t>(run.waiting().size());
    bool const there = goes_on ? broadcast_chunks::keep_waiting(tx, scope_id, chunk.id, run.waiting(),
                                     run.waits_for_carrier(), run.began())
                               : broadcast_chunks::remove(tx, scope_id, chunk.id);
    if (!there) return;
    broadcasts::add_settled(tx, scope_id, chunk.broadcast_id, settled);
    // If a credential was replaced or a pause ended during this run, no resume job will make the chunk due.
    // Therefore the chunk is made due here.
    if (!pause(tx, scope_id, run.paused_carriers(), now) && goes_on)
        jobs::enqueue(tx, broadcast_chunks::queue, scope_id, chunk.id);
    prune(tx, scope_id, pruning, now);
    // This call comes last, because it may take the scope's lock. Holders of the scope's lock never wait for
    // the row of a carrier's configuration, so there is no deadlock.
    broadcasts::complete_if_settled(tx, scope_id, chunk.broadcast_id, now);
}

} // namespace

jobs::Outcome ChunkHandler::operator()(
    core::Scope const& scope, jobs::Claim& claim, std::stop_token const& stop)
{
    core::Time const now = deps_.clock.now();
    auto loaded = load(claim);
    if (!loaded) return Outcome::done();
    auto& [chunk, message, devices, configs] = *loaded;
    claim.traceparent = message.traceparent;
    if (message.cancelled)
        return end(scope.id, std::make_shared<ChunkRun>(ChunkRun::cancelled(chunk, now)), {});
    auto const run = std::make_shared<ChunkRun>(chunk, std::move(devices), std::move(configs), now);
    auto batches = batches_of(claim, *run, rendered(scope, chunk.broadcast_id, message));
    auto const finished = send(std::move(batches), stop);
    auto pruning = apply(claim, *run, finished);
    carrier_state_.log_refusals(claim, run->paused_carriers());
    return end(scope.id, run, std::move(pruning));
}

void ChunkHandler::fail_given_up(pg::Tx& tx, jobs::Claim const& claim) const
{
    auto chunk = broadcast_chunks::find(tx, claim.scope_id, claim.ref);
    if (!chunk) return;
    core::Time const now = deps_.clock.now();
    record(tx, claim.scope_id, ChunkRun::cancelled(*std::move(chunk), now), {}, now);
}

std::optional<ChunkHandler::Loaded> ChunkHandler::load(jobs::Claim const& claim) const
{
    return deps_.db.transact_blocking(pg::Scopes(claim.scope_id), [&](pg::Tx& tx) -> std::optional<Loaded> {
        auto chunk = broadcast_chunks::find(tx, claim.scope_id, claim.ref);
        if (!chunk) return std::nullopt;
        auto message = broadcasts::find_message(tx, claim.scope_id, chunk->broadcast_id);
        if (!message) return std::nullopt;
        Loaded loaded{.chunk = *chunk, .message = *std::move(message), .devices = {}, .configs = {}};
        if (loaded.message.cancelled) return loaded;
        loaded.devices = broadcast_chunks::devices(tx, claim.scope_id, *chunk);
        loaded.configs = carrier_configs::load(tx, claim.scope_id);
        return loaded;
    });
}

SharedPush ChunkHandler::rendered(
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

ChunkHandler::Batches ChunkHandler::batches_of(
    jobs::Claim const& claim, ChunkRun& run, SharedPush const& push)
{
    Batches batches;
    for (std::size_t i = 0; i < batches.size(); ++i)
        batches[i] = batch_of(claim, run, static_cast<Carrier>(i), push);
    return batches;
}

/// If the credential cannot be decrypted, the batch has no credential and already has its results.
std::unique_ptr<PushBatch> ChunkHandler::batch_of(
    jobs::Claim const& claim, ChunkRun& run, Carrier carrier, SharedPush const& push)
{
    auto targets = run.take_targets(carrier);
    if (targets.empty()) return nullptr;
    auto batch = std::make_unique<PushBatch>();
    batch->push = push;
    batch->targets = std::move(targets);
    batch->bulk = true;
    batch->keep_provider_ids = false;
    try {
        batch->credential = carrier_state_.credential_of(claim.scope_id, *run.config_of(carrier));
    } catch (std::exception const& error) { // counts as an attempt, so that retries end
        deps_.logger.error("cannot use the push credential of a broadcast",
            {{"platform", to_string(carrier)}, {"scopeId", core::number(claim.scope_id)},
                {"what", observe::first_line(error.what())},
                {"traceId", observe::trace_id_of(claim.traceparent)}});
        PushResult result;
        result.handed_out = true;
        batch->set_all(result);
    }
    return batch;
}

/// Sends the batches that have a credential, and waits for their results. Returns all batches. Batches
/// without a credential already have their results.
ChunkHandler::Batches ChunkHandler::send(Batches batches, std::stop_token const& stop) const
{
    Batches finished;
    auto const to_be_sent = [](auto const& batch) { return batch && batch->credential; };
    std::latch left(std::ranges::count_if(batches, to_be_sent));
    for (std::size_t i = 0; i < batches.size(); ++i) {
        if (!to_be_sent(batches[i])) {
            finished[i] = std::move(batches[i]);
            continue;
        }
        batches[i]->deadline = std::chrono::steady_clock::now() + send_timeout;
        batches[i]->stop = stop;
        batches[i]->done = [&left, &slot = finished[i]](std::unique_ptr<PushBatch> done) {
            slot = std::move(done);
            left.count_down();
        };
        deps_.push.send(std::move(batches[i]));
    }
    left.wait();
    return finished;
}

/// Applies the results to the run, counts them, and returns the pruning that follows from them.
Pruning ChunkHandler::apply(jobs::Claim const& claim, ChunkRun& run, Batches const& finished)
{
    Pruning pruning;
    core::Time const now = deps_.clock.now();
    for (std::size_t i = 0; i < finished.size(); ++i) {
        auto const& batch = finished[i];
        if (!batch) continue;
        auto const carrier = static_cast<Carrier>(i);
        run.apply(carrier, batch->targets, batch->results, now, crypto::random_u64());
        if (!batch->credential) continue;
        auto const& config = *run.config_of(carrier);
        for (auto const& result : batch->results)
            carrier_state_.count(claim, config, result);
        carrier_state_.add_pruning(claim.scope_id, config, run.gone(carrier), pruning);
    }
    return pruning;
}

jobs::Outcome ChunkHandler::end(
    core::ScopeId scope_id, std::shared_ptr<ChunkRun const> run, Pruning pruning) const
{
    auto const next_run = run->next_run();
    auto write = [=, now = deps_.clock.now(), run = std::move(run), pruning = std::move(pruning)](
                     pg::Tx& tx) { record(tx, scope_id, *run, pruning, now); };
    return next_run ? Outcome::not_yet(*next_run, std::move(write)) : Outcome::done(std::move(write));
}

} // namespace notify
