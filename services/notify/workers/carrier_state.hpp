#pragma once
// Only the job handlers use this header.

#include "core/cache.hpp"
#include "core/scope.hpp"
#include "jobs/queue.hpp"
#include "providers/push_batch.hpp"
#include "storage/carrier_configs.hpp"
#include "workers/carrier_updates.hpp"
#include "workers/deps.hpp"
#include "workers/direct_pruning.hpp"

#include <span>

namespace notify {

/// This process's state of the scopes' carriers: decrypted credentials, and devices that are gone. All
/// handlers that send pushes share one object. Thread-safe.
class CarrierState {
public:
    explicit CarrierState(WorkerDeps const& deps) : deps_(deps), pruning_(deps) {}

    /// The decrypted credential of `config`; decrypted once and cached.
    Credential::Ptr credential_of(core::ScopeId scope_id, carrier_configs::Sealed const& config);

    /// Counts the devices that the carrier has answered in a direct push, and removes gone devices
    /// (DirectPruning::add), unless pruning has stopped for the credential.
    void count_direct(core::ScopeId scope_id, carrier_configs::Sealed const& config,
        std::span<std::int64_t const> answered, std::span<devices::Gone const> gone);

    /// Logs that a credential was refused in this run, once for each credential. `claim` is the run's job.
    void log_refusal(jobs::Claim const& claim, PausedCarrier const& carrier);

private:
    struct Logged {};

    WorkerDeps const& deps_;
    DirectPruning pruning_;
    core::Cache<CredentialVersion, Credential> credentials_{1'000, std::chrono::minutes(10)};
    core::Cache<CredentialVersion, Logged> logged_{1'000, std::chrono::hours(1)};
};

} // namespace notify
