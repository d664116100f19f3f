#pragma once
// Internal to pg: scopes that a Batcher runs separately.

#include "core/backoff.hpp"
#include "core/fair_queue.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace pg {

/// State of a scope that runs separately. `taking` counts callers, `stalls` counts attempts.
struct SeparateScopeState {
    using Clock = std::chrono::steady_clock;

    unsigned stalls = 0;              ///< number of consecutive attempts that met a lock
    std::size_t taking;               ///< maximum number of callers in the next attempt
    Clock::time_point ready_at;       ///< time of the next attempt
    bool in_service = false;          ///< an attempt is in progress
    Clock::time_point linger_until{}; ///< when a scope without callers returns to the common batches

    /// Whether the latest attempt met a lock. If so, the lock is held for longer than another writer needs
    /// for its commit.
    bool is_stuck() const noexcept { return stalls > 0; }

    /// Whether the next attempt waits for the lock in the server's queue. The first attempt and one in eight
    /// of the later ones do, so that the server grants the lock to a busy scope in turn. The other attempts
    /// do not wait for the lock, so that the connection is free for other scopes.
    bool may_wait() const noexcept { return stalls % 8 == 0; }

    /// Records an attempt of `size` callers that met a lock. After a row lock (`is_row`) the next attempt has
    /// fewer callers, because perhaps only some callers need that row.
    void stall(std::size_t size, bool is_row, std::uint64_t entropy)
    {
        if (is_row) taking = std::max<std::size_t>(1, size / 4);
        ready_at = Clock::now() + core::backoff(stalls++, first_pause, longest_pause, entropy);
    }

    /// Records an attempt that met no lock.
    void succeed(std::size_t limit)
    {
        stalls = 0;
        taking = std::min(limit, taking * 2);
    }

    static constexpr std::chrono::milliseconds first_pause{5}, longest_pause{50};
    /// How long a scope continues to run separately after a success. Without this time, a scope to which two
    /// threads or replicas write continuously would meet its lock in each common batch.
    static constexpr std::chrono::milliseconds linger{20};
};

/// Maximum numbers of callers that wait on one thread, derived from `limit`.
struct WaitingLimits {
    explicit WaitingLimits(std::size_t limit)
        : all(limit), of_tenant(core::share_of(limit)), of_scope(core::share_of(of_tenant)),
          stuck(part(limit / 2)), stuck_of_tenant(part(limit / 8)),
          stuck_of_scope(core::share_of(stuck_of_tenant))
    {
    }

    std::size_t all;
    std::size_t of_tenant;       ///< of one tenant
    std::size_t of_scope;        ///< of one of its environments
    std::size_t stuck;           ///< callers of stuck scopes, which do not count in `all`
    std::size_t stuck_of_tenant; ///< as `stuck`, of one tenant
    std::size_t stuck_of_scope;  ///< as `stuck`, of one of its environments

private:
    static std::size_t part(std::size_t n) { return std::max<std::size_t>(1, n); }
};

} // namespace pg
