#pragma once
// Only JobHandlers uses this header.

#include "core/cache.hpp"
#include "core/scope.hpp"
#include "jobs/worker.hpp"
#include "providers/push_sender.hpp"
#include "storage/broadcasts.hpp"
#include "workers/broadcast_chunk_run.hpp"
#include "workers/carrier_state.hpp"
#include "workers/deps.hpp"

#include <array>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace notify {

/// Sends a chunk of a broadcast to its devices. The handler of `broadcast_chunks::queue`.
class ChunkHandler {
public:
    ChunkHandler(WorkerDeps const& deps, CarrierState& carrier_state)
        : deps_(deps), carrier_state_(carrier_state)
    {
    }

    /// Sends one push to each device of the chunk that is not settled. Both carriers work in parallel. Direct
    /// pushes are sent before pushes of broadcasts. The counters change in the transaction that ends the
    /// claim. So if the process dies, the chunk is sent again, with the same apns-ids and collapse id, and
    /// its devices are counted once.
    jobs::Outcome operator()(core::Scope const& scope, jobs::Claim& claim, std::stop_token const& stop);

    /// Fails all remaining devices of a chunk. Called if the outcome of the chunk's run cannot be written
    /// (`jobs::WorkerOptions::on_dead`).
    void fail_given_up(pg::Tx& tx, jobs::Claim const& claim) const;

private:
    struct Loaded {
        broadcast_chunks::Chunk chunk;
        broadcasts::Message message;
        std::vector<broadcast_chunks::Device> devices;
        std::vector<carrier_configs::Sealed> configs;
    };

    /// One batch per carrier; null if no devices of the carrier are due.
    using Batches = std::array<std::unique_ptr<PushBatch>, core::names_of<Carrier>.size()>;

    std::optional<Loaded> load(jobs::Claim const& claim) const;
    SharedPush rendered(core::Scope const& scope, core::Uuid const& id, broadcasts::Message const& message);
    Batches batches_of(jobs::Claim const& claim, ChunkRun& run, SharedPush const& push);
    std::unique_ptr<PushBatch> batch_of(
        jobs::Claim const& claim, ChunkRun& run, Carrier carrier, SharedPush const& push);
    Batches send(Batches batches, std::stop_token const& stop) const;
    Pruning apply(jobs::Claim const& claim, ChunkRun& run, Batches const& finished);
    jobs::Outcome end(core::ScopeId scope_id, std::shared_ptr<ChunkRun const> run, Pruning pruning) const;

    WorkerDeps const& deps_;
    CarrierState& carrier_state_;
    core::Cache<core::Uuid, RenderedPush> rendered_{100, std::chrono::hours(1)};
};

} // namespace notify
