#pragma once
// Only the job handlers use this header.

#include "core/cache.hpp"
#include "core/scope.hpp"
#include "jobs/queue.hpp"
#include "providers/push_batch.hpp"
#include "storage/carrier_configs.hpp"
#include "workers/carrier_updates.hpp"
#include "workers/deps.hpp"
#include "workers/prune_breakers.hpp"

#include <span>

namespace notify {

/// This process's state of the scopes' carriers: decrypted credentials, and whether the carriers' responses
/// may remove devices. All handlers that send pushes share one object. Thread-safe.
class CarrierState {
public:
    explicit CarrierState(WorkerDeps const& deps) : deps_(deps) {}

    /// The decrypted credential of `config`; decrypted once and cached.
    Credential::Ptr credential_of(core::ScopeId scope_id, carrier_configs::Sealed const& config);

    /// Counts the result of a push that used the credential of `config`. Call this function before
    /// `add_pruning`, which uses the counts. `claim` is the job that sent the push.
    void count(jobs::Claim const& claim, carrier_configs::Sealed const& config, PushResult const& result);

    /// Adds the `gone` devices to `pruning` for removal. If the credential's breaker has tripped, adds that
    /// pruning stops instead.
    void add_pruning(core::ScopeId scope_id, carrier_configs::Sealed const& config,
        std::span<devices::Gone const> gone, Pruning& pruning) const;

    /// Logs the credentials that were refused in this run. `claim` is the run's job.
    void log_refusals(jobs::Claim const& claim, std::span<PausedCarrier const> carriers) const;

private:
    WorkerDeps const& deps_;
    PruneBreakers breakers_;
    core::Cache<CredentialVersion, Credential> credentials_{1'000, std::chrono::minutes(10)};
};

} // namespace notify
