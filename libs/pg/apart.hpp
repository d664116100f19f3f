#pragma once
// Private to pg: the scopes that a Coalescer runs by themselves.

#include "core/backoff.hpp"
#include "core/fair_queue.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace pg {

/// How a scope that goes by itself is getting on. `taking` counts callers, `stalls` attempts.
struct ApartScope {
    using Clock = std::chrono::steady_clock;

    unsigned stalls = 0;               ///< attempts in a row that met a lock
    std::size_t taking;                ///< callers of the next attempt at most
    Clock::time_point ready_at;        ///< of the next attempt
    bool in_service = false;           ///< an attempt is under way
    Clock::time_point lingers_until{}; ///< when a scope of no callers goes back into the common batch

    /// Whether it is known to wait for more than a neighbour's commit.
    bool is_stuck() const noexcept { return stalls > 0; }

    /// The first attempt waits in the server's queue for the lock, which is fair to a busy scope. So does one
    /// in eight of the later ones; the others only try, so that the connection is free for other scopes.
    bool may_wait() const noexcept { return stalls % 8 == 0; }

    /// After an attempt of `size` callers that met a lock. Where the lock is a row's, others of the scope may
    /// not need that row: fewer go together.
    void stall(std::size_t size, bool is_row, std::uint64_t entropy)
    {
        if (is_row) taking = std::max<std::size_t>(1, size / 4);
        ready_at = Clock::now() + core::backoff(stalls++, first_pause, longest_pause, entropy);
    }

    /// After an attempt that met none.
    void succeed(std::size_t limit)
    {
        stalls = 0;
        taking = std::min(limit, taking * 2);
    }

    static constexpr std::chrono::milliseconds first_pause{5}, longest_pause{50};
    /// A scope that two threads or replicas write to all the time would meet its lock in each common batch.
    static constexpr std::chrono::milliseconds lingering{20};
};

/// How many of a Coalescer's callers may wait on one thread, when that is `limit` in all.
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
    std::size_t stuck;           ///< of scopes that are stuck, which do not count among `all`
    std::size_t stuck_of_tenant; ///< the same, of one tenant
    std::size_t stuck_of_scope;  ///< the same, of one of its environments

private:
    static std::size_t part(std::size_t n) { return std::max<std::size_t>(1, n); }
};

/// What a batch's input is about: its `scope_id`, or 0 where it has none.
template <class In> std::int64_t scope_of(In const& input)
{
    if constexpr (requires { input.scope_id; })
        return input.scope_id;
    else
        return 0;
}

} // namespace pg
