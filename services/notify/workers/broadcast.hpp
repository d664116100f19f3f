#pragma once
// Only the delivery workers use this header.

#include "core/cache.hpp"
#include "storage/broadcasts.hpp"
#include "workers/broadcast_run.hpp"
#include "workers/carriers.hpp"
#include "workers/common.hpp"

#include <array>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace notify {

/// Cuts broadcasts into chunks. The handler of `broadcasts::queue`.
class BroadcastCutter {
public:
    explicit BroadcastCutter(DeliveryDeps const& deps) : deps_(deps) {}

    /// Cuts a broadcast (`jobs::Handler`), some chunks per transaction, and continues where an earlier run
    /// ended. The jobs of committed chunks are due at once. Even if two runs are concurrent, each device gets
    /// into one chunk only, because each transaction locks the broadcast.
    jobs::Outcome operator()(jobs::Claim& claim, std::stop_token const& stop) const;

private:
    bool step(jobs::Claim& claim) const;

    DeliveryDeps const& deps_;
};

/// Sends a chunk to its devices. The handler of `broadcast_chunks::queue`.
class BroadcastSender {
public:
    BroadcastSender(DeliveryDeps const& deps, Carriers& carriers) : deps_(deps), carriers_(carriers) {}

    /// Sends one push to each device of the chunk that is not settled (`jobs::Handler`). Both carriers work
    /// in parallel. Direct pushes are sent before pushes of broadcasts. The counters change in the
    /// transaction that ends the claim. So if the process dies, the chunk is sent again, with the same
    /// apns-ids and collapse id, and its devices are counted once.
    jobs::Outcome operator()(jobs::Claim& claim, std::stop_token const& stop);

    /// Fails all remaining devices of a chunk. Called if the outcome of the chunk's run cannot be written
    /// (`jobs::WorkerOptions::given_up`).
    void give_up(pg::Tx& tx, jobs::Claim const& claim) const;

private:
    struct Loaded {
        broadcast_chunks::Chunk chunk;
        broadcasts::Message message;
        std::vector<broadcast_chunks::Device> devices;
        std::vector<platforms::Sealed> platforms;
    };

    using Batches = std::array<std::unique_ptr<PushBatch>, platform_kinds.size()>;

    std::optional<Loaded> load(jobs::Claim const& claim) const;
    SharedPush rendered(core::Scope const& scope, core::Uuid const& id, broadcasts::Message const& message);
    std::unique_ptr<PushBatch> batch_of(
        jobs::Claim const& claim, BroadcastRun& run, PlatformKind kind, SharedPush const& push);
    Batches send(Batches batches, std::stop_token const& stop) const;
    Pruning take(jobs::Claim const& claim, BroadcastRun& run, Batches const& answered);
    Pruning ask(
        jobs::Claim const& claim, BroadcastRun& run, SharedPush const& push, std::stop_token const& stop);
    jobs::Outcome end(std::int64_t scope_id, std::shared_ptr<BroadcastRun const> run, Pruning pruning) const;

    DeliveryDeps const& deps_;
    Carriers& carriers_;
    core::Cache<core::Uuid, RenderedPush> rendered_{100, std::chrono::hours(1)};
};

} // namespace notify
