#pragma once
// Only PushSender uses this header.

#include "domain/carrier_breaker.hpp"
#include "providers/push_batch.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

namespace notify {

/// Sends the batches of one credential. Used only on PushSender's thread. The destructor finishes all pushes
/// with the result STOPPED.
///
/// A push is either handed to the carrier or not (`PushResult::handed_out`). While the breaker of the
/// carrier's origin is open, or the carrier has asked for a pause (Retry-After), pushes that were not handed
/// out are finished at once, with the time to wait as `retry_after`. The caller parks them.
class CarrierSender {
public:
    using SteadyTime = std::chrono::steady_clock::time_point;

    virtual ~CarrierSender() = default;

    virtual void add(std::unique_ptr<PushBatch> batch) = 0;

    /// Enforces the deadlines. Called about every 100 ms.
    virtual void tick(SteadyTime now) = 0;

    /// Whether there is no batch and no push in flight.
    virtual bool idle() const noexcept = 0;

    /// The last time at which there was an unfinished batch.
    virtual SteadyTime used() const noexcept = 0;

    virtual std::size_t connections() const noexcept = 0;

    /// Until when the carrier throttles this credential; nullopt if it does not.
    virtual std::optional<SteadyTime> held_until() const noexcept = 0;
};

} // namespace notify
