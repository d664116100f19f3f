#pragma once
// Private to the delivery workers.

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

/// What follows from carriers' answers that devices are gone.
struct Pruning {
    /// A platform on whose word no device is removed any more.
    struct Stopped {
        PlatformKind kind{};
        core::Time seen; ///< `updated_at` of its credential
    };

    std::vector<devices::Gone> gone; ///< to be removed
    std::vector<Stopped> stopped;    ///< to be written down
};

/// What all who send pushes know together of the scopes' platforms: opened credentials, and on which
/// carriers' word devices are removed. Safe from any thread.
class Carriers {
public:
    explicit Carriers(DeliveryDeps const& deps) : deps_(deps) {}

    /// The platform's credential, opened once and kept.
    Credential::Ptr credential_of(std::int64_t scope_id, platforms::Sealed const& platform);

    /// Takes note of an answer to a push through the platform, before what it says is acted on. `claim`: the
    /// job that the push was sent for.
    void count(jobs::Claim const& claim, platforms::Sealed const& platform, PushAnswer const& answer);

    /// Adds what follows from the platform's word that devices are `gone`: they are, or it is not believed.
    void judge(std::int64_t scope_id, platforms::Sealed const& platform, std::span<devices::Gone const> gone,
        Pruning& pruning) const;

    /// Logs which credentials were refused just now, to the job of `claim`.
    void report(jobs::Claim const& claim, std::span<Halted const> halted) const;

private:
    DeliveryDeps const& deps_;
    PruneBreakers breakers_;
    core::Cache<PlatformVersion, Credential> credentials_{1'000, std::chrono::minutes(10)};
};

/// Pauses the platforms that were refused. Whether all of `halted` are paused now, and stay so until this
/// transaction has ended, so that what it leaves waiting is found by whoever ends the pause.
bool halt(pg::Tx& tx, std::int64_t scope_id, std::span<Halted const> halted, core::Time now);

/// Removes the devices, and writes down where that has stopped.
void prune(pg::Tx& tx, std::int64_t scope_id, Pruning const& pruning, core::Time now);

} // namespace notify
