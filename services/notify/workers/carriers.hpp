#pragma once
// Private to the delivery workers.

#include "core/cache.hpp"
#include "providers/push.hpp"
#include "storage/platforms.hpp"
#include "workers/common.hpp"
#include "workers/prune_breakers.hpp"
#include "workers/push_run.hpp"

#include <cstdint>
#include <span>
#include <utility>

namespace notify {

/// What all who send pushes know together of the scopes' platforms: opened credentials, and on which
/// carriers' word devices are removed. Safe from any thread.
class Carriers {
public:
    explicit Carriers(DeliveryDeps const& deps) : deps_(deps) {}

    /// The platform's credential, opened once and kept.
    Credential::Ptr credential_of(std::int64_t scope_id, platforms::Sealed const& platform);

    /// Takes note of an answer to a push under that credential, before what it says is acted on.
    void count(Credential const& credential, PushAnswer const& answer);

    /// Whether devices may be removed on the word of that credential's carrier.
    bool may_prune(Credential const& credential) const;

    /// Logs which credentials were refused just now.
    void report(std::int64_t scope_id, std::span<Halted const> halted) const;

private:
    using Version = std::pair<std::int64_t, std::int64_t>; ///< scope and kind; `updated_at`

    DeliveryDeps const& deps_;
    PruneBreakers breakers_;
    core::Cache<Version, Credential> credentials_{1'000, std::chrono::minutes(10)};
};

/// Pauses the platforms that were refused. Whether all of `halted` are paused now, and stay so until this
/// transaction has ended, so that what it leaves waiting is found by whoever ends the pause.
bool halt(pg::Tx& tx, std::int64_t scope_id, std::span<Halted const> halted, core::Time now);

} // namespace notify
