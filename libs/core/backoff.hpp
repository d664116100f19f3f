#pragma once

#include <chrono>
#include <cstdint>

namespace core {

/// Exponential back-off with jitter: the n-th retry (from 0) waits a time in [ceiling/2, ceiling], where
/// ceiling = min(base * 2^n, max) and `entropy`, any random number, picks the place. Not positive `base` or
/// `max`: 0.
std::chrono::milliseconds backoff(unsigned attempt, std::chrono::milliseconds base,
    std::chrono::milliseconds max, std::uint64_t entropy) noexcept;

} // namespace core
