#pragma once
// Only JobHandlers uses this header.

#include "core/scope.hpp"
#include "jobs/async_worker.hpp"
#include "providers/push_sender.hpp"
#include "workers/active_tenants.hpp"
#include "workers/carrier_state.hpp"
#include "workers/delivery_latency.hpp"
#include "workers/notification_job.hpp"
#include "workers/push_run.hpp"

#include <memory>
#include <stop_token>
#include <vector>

namespace notify {

/// Sends pushes through one carrier. Handles the jobs of `push_queue_of(carrier)`. No thread waits for the
/// carrier. The jobs that are claimed together are read in one transaction, and their outcomes are written in
/// one transaction (`record_push_changes`).
///
/// A run makes one attempt to send one push to every device of the carrier to which the push is pending. The
/// status becomes `sent` when a carrier has accepted the push for one device. Attempts continue for the other
/// devices. A carrier that refuses its credential is paused for the scope. A push that was not handed to the
/// carrier keeps its place.
class PushHandler {
public:
    PushHandler(
        Carrier carrier, WorkerDeps const& deps, CarrierState& carrier_state, DeliveryLatencies& latencies)
        : carrier_(carrier), deps_(deps), carrier_state_(carrier_state),
          latency_(latencies, std::string(to_string(carrier)))
    {
    }

    /// The options of the worker, which this object must outlive.
    jobs::AsyncWorkerOptions options() const;

    /// As jobs::AsyncHandler::begin.
    void begin(std::vector<jobs::Claim> claims, jobs::AsyncWorker& worker, std::stop_token const& stop);

private:
    struct Run;

    /// A job with its rows.
    struct Loaded {
        std::optional<Notification> notification; ///< nullopt if there is nothing to send
        std::vector<push_deliveries::Target> targets;
        std::shared_ptr<carrier_configs::Sealed const> config;
    };

    std::vector<Loaded> load(std::vector<jobs::Claim> const& claims) const;
    void start(core::Scope const& scope, jobs::Claim claim, Loaded loaded, jobs::AsyncWorker& worker,
        std::stop_token const& stop);
    std::unique_ptr<PushBatch> batch_of(core::Scope const& scope, PushRun const& run);
    void finish(Run& run, std::span<PushResult const> results);
    void count(Run const& run, std::span<PushResult const> results);

    Carrier const carrier_;
    WorkerDeps const& deps_;
    CarrierState& carrier_state_;
    DeliveryLatency const latency_;
};

} // namespace notify
