#pragma once
// Private to the delivery workers.

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

/// Cuts broadcasts into chunks: the handler of `broadcasts::queue`.
class BroadcastCutter {
public:
    explicit BroadcastCutter(DeliveryDeps const& deps) : deps_(deps) {}

    /// Goes on where a run before it ended, some chunks to a transaction, each of which is being sent to from
    /// then on (`jobs::Handler`). Two at once would cut it no differently.
    jobs::Outcome operator()(jobs::Claim& claim, std::stop_token const& stop) const;

private:
    bool step(jobs::Claim& claim) const;

    DeliveryDeps const& deps_;
};

/// Sends to the devices of a chunk: the handler of `broadcast_chunks::queue`.
class BroadcastSender {
public:
    BroadcastSender(DeliveryDeps const& deps, Carriers& carriers) : deps_(deps), carriers_(carriers) {}

    /// One push to each device of the chunk that is not settled, through both carriers side by side, behind
    /// what is sent directly (`jobs::Handler`). The counters move in the transaction that ends the claim, so
    /// a process that dies repeats the chunk, under the same apns-ids and collapse id, and counts it once.
    jobs::Outcome operator()(jobs::Claim& claim, std::stop_token const& stop);

    /// Has all that is left of a chunk fail, the outcome of whose run cannot be written
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
    SharedPush rendered(core::Uuid const& id, broadcasts::Message const& message);
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
