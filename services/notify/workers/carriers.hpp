#pragma once
// Only the delivery workers use this header.

#include "core/cache.hpp"
#include "providers/push.hpp"
#include "storage/devices.hpp"
#include "storage/platforms.hpp"
#include "workers/common.hpp"
#include "workers/prune_breakers.hpp"
#include "workers/push_run.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace notify {

/// The changes that follow from "token gone" answers.
struct Pruning {
    /// A platform whose answers no longer remove devices.
    struct Stopped {
        PlatformKind kind{};
        core::Time seen; ///< `updated_at` of its credential
    };

    std::vector<devices::Gone> gone; ///< devices to remove
    std::vector<Stopped> stopped;    ///< platforms to mark as stopped
};

/// Shared state of all handlers that send pushes: opened credentials, and whether a platform's answers may
/// remove devices. Thread-safe.
class Carriers {
public:
    explicit Carriers(DeliveryDeps const& deps) : deps_(deps) {}

    /// The platform's credential; opened once and cached.
    Credential::Ptr credential_of(std::int64_t scope_id, platforms::Sealed const& platform);

    /// Counts an answer to a push through the platform. Call this function before `judge`, which uses the
    /// counts. `claim` is the job that sent the push.
    void count(jobs::Claim const& claim, platforms::Sealed const& platform, PushAnswer const& answer);

    /// Adds the `gone` devices to `pruning` for removal, or marks the platform as stopped if its breaker has
    /// tripped.
    void judge(std::int64_t scope_id, platforms::Sealed const& platform, std::span<devices::Gone const> gone,
        Pruning& pruning) const;

    /// Logs the credentials that were refused in this run. `claim` is the run's job.
    void report(jobs::Claim const& claim, std::span<Halted const> halted) const;

private:
    DeliveryDeps const& deps_;
    PruneBreakers breakers_;
    core::Cache<PlatformVersion, Credential> credentials_{1'000, std::chrono::minutes(10)};
};

/// Pauses the platforms whose credential was refused. Returns whether all of `halted` are paused now and stay
/// paused until this transaction ends. If true, the end of the pause makes the pushes due that this
/// transaction leaves waiting.
bool halt(pg::Tx& tx, std::int64_t scope_id, std::span<Halted const> halted, core::Time now);

/// Removes the devices in `pruning`, and stores that pruning has stopped for the platforms in
/// `pruning.stopped`.
void prune(pg::Tx& tx, std::int64_t scope_id, Pruning const& pruning, core::Time now);

} // namespace notify
