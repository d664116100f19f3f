#pragma once
// Only the job handlers use this header.

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "redis/client.hpp"
#include "storage/devices.hpp"
#include "workers/credential_version.hpp"
#include "workers/deps.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace notify {

/// Removes the devices that carriers report as gone in answer to direct pushes, unless more than half of the
/// distinct devices of a credential that answered on a day are gone, and at least 50 answered
/// (`is_suspicious`). Pruning then stops for the credential. The devices of a day (UTC) are counted in Redis
/// by HyperLogLogs, with an error of about 1 %, over all replicas. While Redis is down, no device is removed;
/// a later push to such a device is answered with "token gone" again. Thread-safe.
class DirectPruning {
public:
    /// Uses coroutines on `deps.io`. `deps` must outlive this object.
    explicit DirectPruning(WorkerDeps const& deps);

    /// Drops devices that are not counted yet.
    ~DirectPruning();
    DirectPruning(DirectPruning const&) = delete;
    DirectPruning& operator=(DirectPruning const&) = delete;

    /// Counts devices that a carrier has answered with "accepted" or "token gone". `gone`: the devices of the
    /// latter. Returns at once; the devices are counted and removed soon.
    void add(CredentialVersion const& credential, std::span<std::int64_t const> answered,
        std::span<devices::Gone const> gone);

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace notify
