#pragma once

#include "core/smoothed.hpp"

#include <chrono>
#include <cstddef>

namespace pg {

/// How long a new caller of a Coalescer would wait for its batch to begin, by the time that batches take of
/// late. Used by one thread.
class BatchPace {
public:
    using Seconds = std::chrono::duration<double>;

    /// `batch_limit`: callers in one batch.
    explicit BatchPace(std::size_t batch_limit) : batch_limit_(batch_limit) {}

    void ran(Seconds took) { seconds_.add(took.count()); }

    /// `waiting`: callers ahead, of which none is in a batch that runs. What fits into the next batch does
    /// not wait, so that there is always a batch to learn from.
    Seconds wait(std::size_t waiting) const
    {
        std::size_t const batches = waiting / batch_limit_;
        return Seconds(seconds_.value().value_or(0) * static_cast<double>(batches));
    }

private:
    std::size_t batch_limit_;
    core::Smoothed seconds_;
};

} // namespace pg
