#pragma once
// Only JobHandlers uses this header.

#include "core/cache.hpp"
#include "core/scope.hpp"
#include "jobs/async_worker.hpp"
#include "providers/push_sender.hpp"
#include "storage/broadcasts.hpp"
#include "workers/broadcast_chunk_run.hpp"
#include "workers/carrier_state.hpp"
#include "workers/deps.hpp"
#include "workers/flight_window.hpp"

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace notify {

/// Sends chunks of broadcasts through one carrier. Handles the jobs of `broadcast_chunks::queue_of(carrier)`.
/// No thread waits for the carrier. The chunks that are claimed together are read in one transaction, and
/// their outcomes are written in one transaction (`record_chunk_changes`).
///
/// A run sends one push to each device of a chunk that is not settled. Direct pushes are sent before pushes
/// of broadcasts. The counters change in the transaction that ends the claim. So if the process dies, the
/// chunk is sent again, with the same apns-ids and collapse id, and its devices are counted once. While the
/// carrier is down or throttles, the chunk waits as a range of devices.
class ChunkHandler {
public:
    ChunkHandler(Carrier carrier, WorkerDeps const& deps, CarrierState& carrier_state)
        : carrier_(carrier), deps_(deps), carrier_state_(carrier_state)
    {
    }

    /// The options of the worker, which this object must outlive.
    jobs::AsyncWorkerOptions options() const;

    /// As jobs::AsyncHandler::begin.
    void begin(std::vector<jobs::Claim> claims, jobs::AsyncWorker& worker, std::stop_token const& stop);

private:
    struct Run;

    /// A chunk with the rows that its run needs.
    struct Loaded {
        broadcast_chunks::Chunk chunk;
        std::shared_ptr<carrier_configs::Sealed const> config;
        Credential::Ptr credential;                    ///< null if it cannot be decrypted
        std::chrono::milliseconds wait{0};             ///< until the carrier may be tried
        std::vector<broadcast_chunks::Device> devices; ///< empty if the chunk waits or is cancelled
    };

    /// The rows of chunks that were claimed together.
    struct Batch {
        std::map<core::Uuid, Loaded> chunks;
        std::map<broadcasts::Key, broadcasts::Message> messages;
    };

    Batch load(std::vector<jobs::Claim> const& claims);
    void open_credential(Loaded& loaded) const;
    void start(core::Scope const& scope, jobs::Claim claim, Loaded loaded, broadcasts::Message const& message,
        jobs::AsyncWorker& worker, std::stop_token const& stop);
    void park(jobs::Claim claim, Loaded const& loaded, jobs::AsyncWorker& worker) const;
    SharedPush rendered(core::Scope const& scope, core::Uuid const& id, broadcasts::Message const& message);
    void finish(Run& run, PushBatch const& batch);
    void end(Run& run) const;

    Carrier const carrier_;
    WorkerDeps const& deps_;
    CarrierState& carrier_state_;
    mutable FlightWindows windows_;
    core::Cache<core::Uuid, RenderedPush> rendered_{100, std::chrono::hours(1)};
};

} // namespace notify
