#pragma once

#include <chrono>
#include <cstdint>

namespace core {

/// Exponential backoff with jitter. Retry number `attempt` (from 0) waits a time in [ceiling/2, ceiling],
/// where ceiling = min(base * 2^attempt, max). `entropy` is any random number and selects the time within
/// that range. Returns 0 if `base` or `max` is not positive.
std::chrono::milliseconds backoff(unsigned attempt, std::chrono::milliseconds base,
    std::chrono::milliseconds max, std::uint64_t entropy) noexcept;

} // namespace core
