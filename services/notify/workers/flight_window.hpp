#pragma once
// Only ChunkHandler uses this header.

#include "core/scope.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace notify {

/// Limits the chunks of broadcasts that a replica has claimed for one carrier, per tenant. The limit is as
/// low as the carrier's latency permits, because the pushes of a replica that dies are repeated. Their
/// devices are the number of pushes that the carrier answers in its own latency (bandwidth-delay product),
/// and some more, so that the connections are never idle while chunks are read and recorded. A tenant whose
/// pushes are not answered keeps only its own limit occupied. Thread-safe.
class FlightWindows {
public:
    using Time = std::chrono::steady_clock::time_point;

    static constexpr std::size_t least = 300; ///< devices
    static constexpr std::size_t most = 50'000;
    /// One chunk is read, one is sent and one is recorded.
    static constexpr std::size_t least_chunks = 3;

    /// Counts devices of a tenant whose chunk has ended at `now`.
    void ended(core::TenantId tenant, std::size_t devices, Time now);

    /// The number of chunks that a tenant may have claimed at a time; for `core::no_tenant`, the highest
    /// limit of a tenant. `latency`: the time that the carrier takes to respond, as LatencyFloor. `chunk`:
    /// the devices of a chunk, for a tenant none of whose chunks has ended.
    std::size_t limit(core::TenantId tenant, std::chrono::microseconds latency, std::size_t chunk, Time now);

private:
    static constexpr std::chrono::milliseconds span{500}; ///< in which the rate is measured

    /// The devices whose chunks have ended within `span`.
    struct Window {
        std::deque<std::pair<Time, std::size_t>> ended;
        std::size_t sum = 0;
    };

    void forget_old(Time now);

    std::mutex mutex_;
    std::map<core::TenantId, Window> windows_; ///< of the tenants that have a chunk within `span`
};

} // namespace notify
