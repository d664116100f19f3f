#include "workers/broadcast_chunk.hpp"

#include "crypto/random.hpp"
#include "observe/log.hpp"
#include "observe/trace.hpp"
#include "pg/batch.hpp"
#include "pg/database.hpp"
#include "workers/active_tenants.hpp"
#include "workers/chunk_changes.hpp"

#include <algorithm>
#include <utility>

namespace notify {

namespace {

using Kind = jobs::Outcome::Kind;
using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr auto send_timeout = 30s; ///< pushes that are not handed out by then wait in the chunk
/// How long the chunks of a crashed process wait before another process takes them.
constexpr auto chunk_lease = 20s;
constexpr std::size_t most_chunks = 1'000; ///< of all tenants

broadcasts::Key broadcast_of(broadcast_chunks::Chunk const& chunk)
{
    return {chunk.key.scope_id, chunk.broadcast_id};
}

} // namespace

/// A run of a chunk, until its outcome is known.
struct ChunkHandler::Run {
    jobs::Claim claim;
    jobs::AsyncWorker& worker;
    std::shared_ptr<ChunkRun> run;
    Steady::time_point began = Steady::now();
};

jobs::AsyncWorkerOptions ChunkHandler::options() const
{
    return {.queue = std::string(broadcast_chunks::queue_of(carrier_)),
        .capacity = most_chunks,
        .claim_per_scope = most_chunks,
        .limit_of_tenant =
            [this](core::TenantId tenant) {
                auto const latency = deps_.push.least_latency(carrier_);
                return windows_.limit(tenant, latency, deps_.broadcast_chunk, Steady::now());
            },
        .lease = chunk_lease,
        .gather = 0ms, // a chunk has many devices, and every wait makes the flight window larger
        .on_dead =
            [this](pg::Tx& tx, jobs::Claim const& claim) {
                fail_chunk(tx, carrier_, {claim.scope_id, claim.ref}, deps_.clock.now());
            }};
}

void ChunkHandler::begin(
    std::vector<jobs::Claim> claims, jobs::AsyncWorker& worker, std::stop_token const& stop)
{
    auto batch = load(claims); // before any job ends, because `begin` may throw only before that
    auto const scopes = keep_active(claims, worker, deps_);
    for (auto& claim : claims) {
        auto const loaded = batch.chunks.find(claim.ref);
        if (loaded == batch.chunks.end()) {
            worker.finish({.claim = std::move(claim)});
            continue;
        }
        auto const& scope = scopes.at(claim.scope_id);
        auto const& message = batch.messages.at(broadcast_of(loaded->second.chunk));
        start(scope, std::move(claim), std::move(loaded->second), message, worker, stop);
    }
}

ChunkHandler::Batch ChunkHandler::load(std::vector<jobs::Claim> const& claims)
{
    return deps_.db.transact_blocking(pg::scopes_of(std::span(claims)), [&](pg::Tx& tx) {
        std::vector<broadcast_chunks::Key> keys;
        std::vector<core::ScopeId> scopes;
        for (auto const& claim : claims) {
            keys.push_back({claim.scope_id, claim.ref});
            scopes.push_back(claim.scope_id);
        }
        Batch batch;
        std::vector<broadcasts::Key> of;
        auto const found = broadcast_chunks::find(tx, keys);
        for (auto const& chunk : found)
            if (chunk) of.push_back(broadcast_of(*chunk));
        batch.messages = broadcasts::find_messages(tx, of);
        auto const configs = carrier_configs::load(tx, carrier_, scopes);
        std::vector<broadcast_chunks::Chunk> sendable;
        for (auto const& chunk : found) {
            if (!chunk || !batch.messages.contains(broadcast_of(*chunk))) continue;
            auto& loaded = batch.chunks[chunk->key.id];
            loaded.chunk = *chunk;
            auto const config = configs.find(chunk->key.scope_id);
            if (config != configs.end()) loaded.config = config->second;
            open_credential(loaded);
            bool const cancelled = batch.messages.at(broadcast_of(*chunk)).cancelled;
            if (!cancelled && loaded.wait == 0ms) sendable.push_back(*chunk);
        }
        auto devices = broadcast_chunks::devices(tx, carrier_, sendable, deps_.keyring);
        for (std::size_t i = 0; i < sendable.size(); ++i)
            batch.chunks.at(sendable[i].key.id).devices = std::move(devices[i]);
        return batch;
    });
}

/// Decrypts the credential, and finds out whether its carrier takes pushes now.
void ChunkHandler::open_credential(Loaded& loaded) const
{
    if (!loaded.config) return;
    try {
        loaded.credential = carrier_state_.credential_of(loaded.chunk.key.scope_id, *loaded.config);
    } catch (std::exception const& error) {
        deps_.logger.error("cannot use the push credential of a broadcast",
            {{"platform", to_string(carrier_)}, {"scopeId", core::number(loaded.chunk.key.scope_id)},
                {"what", observe::first_line(error.what())}});
        return;
    }
    core::Time const now = deps_.clock.now();
    if (now < ChunkRun::wait_end(loaded.chunk, now))
        loaded.wait = deps_.push.status_of(*loaded.credential).wait;
}

void ChunkHandler::start(core::Scope const& scope, jobs::Claim claim, Loaded loaded,
    broadcasts::Message const& message, jobs::AsyncWorker& worker, std::stop_token const& stop)
{
    claim.traceparent = message.traceparent;
    if (loaded.wait > 0ms && !message.cancelled) return park(std::move(claim), loaded, worker);
    core::Time const now = deps_.clock.now();
    auto const run = std::make_shared<Run>(Run{.claim = std::move(claim),
        .worker = worker,
        .run = std::make_shared<ChunkRun>(message.cancelled
                                              ? ChunkRun::cancelled(loaded.chunk, carrier_, now)
                                              : ChunkRun(loaded.chunk, carrier_, std::move(loaded.devices),
                                                    std::move(loaded.config), now))});
    auto batch = std::make_unique<PushBatch>();
    batch->targets = run->run->take_targets();
    if (batch->targets.empty()) return end(*run);
    batch->credential = std::move(loaded.credential);
    if (!batch->credential) { // counts as an attempt, so that retries end
        PushResult result;
        result.handed_out = true;
        batch->set_all(result);
        return finish(*run, *batch);
    }
    batch->stored_at = run->run->config()->updated_at;
    batch->push = rendered(scope, loaded.chunk.broadcast_id, message);
    batch->bulk = true;
    batch->keep_provider_ids = false;
    batch->deadline = Steady::now() + send_timeout;
    batch->stop = stop;
    batch->done = [this, run](std::unique_ptr<PushBatch> done) { finish(*run, *done); };
    deps_.push.send(std::move(batch));
}

/// Puts a chunk off whose carrier is down or throttles, without reading its devices.
void ChunkHandler::park(jobs::Claim claim, Loaded const& loaded, jobs::AsyncWorker& worker) const
{
    auto const spread = std::chrono::milliseconds(
        crypto::random_u64() % static_cast<std::uint64_t>(loaded.wait.count() / 4 + 1));
    worker.finish({.claim = std::move(claim),
        .kind = Kind::retry,
        .run_at = deps_.clock.now() + loaded.wait + spread,
        .counted = false,
        .note = ChunkChange{loaded.chunk.key, nullptr}});
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
        .scope = scope,
        .settings = message.push}));
    rendered_.put(id, push);
    return push;
}

void ChunkHandler::finish(Run& run, PushBatch const& batch)
{
    run.run->apply(batch.targets, batch.results, deps_.clock.now(), crypto::random_u64());
    if (run.run->paused()) carrier_state_.log_refusal(run.claim, *run.run->paused());
    end(run);
}

void ChunkHandler::end(Run& run) const
{
    // A chunk with few devices left counts like a quarter of a chunk, so that many of them are claimed at
    // once.
    auto const settled = static_cast<std::size_t>(run.run->settled().sum());
    windows_.ended(
        core::tenant_of(run.claim.scope_id), std::max(settled, deps_.broadcast_chunk / 4), Steady::now());
    auto const next = run.run->next_run();
    broadcast_chunks::Key const key{run.claim.scope_id, run.claim.ref};
    run.worker.finish({.claim = std::move(run.claim),
        .kind = next ? Kind::retry : Kind::done,
        .run_at = next.value_or(core::Time()),
        .counted = false,
        .took = Steady::now() - run.began,
        .note = ChunkChange{key, run.run}});
}

} // namespace notify
