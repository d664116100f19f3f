#pragma once

#include "core/moving_average.hpp"

#include <chrono>
#include <cstddef>

namespace pg {

/// Estimates how long a new caller of a Batcher would wait for its batch, from the recent duration of
/// batches. Not thread-safe.
class BatchPace {
public:
    using Seconds = std::chrono::duration<double>;

    /// `batch_limit`: maximum number of callers in one batch.
    explicit BatchPace(std::size_t batch_limit) : batch_limit_(batch_limit) {}

    void ran(Seconds took) { seconds_.add(took.count()); }

    /// `waiting`: the number of callers ahead that are not in a running batch. The estimate is 0 s for
    /// callers that fit into the next batch. So these callers are never refused, and their batches continue
    /// to update the estimate.
    Seconds wait(std::size_t waiting) const
    {
        std::size_t const batches = waiting / batch_limit_;
        return Seconds(seconds_.value().value_or(0) * static_cast<double>(batches));
    }

private:
    std::size_t batch_limit_;
    core::MovingAverage seconds_;
};

} // namespace pg
