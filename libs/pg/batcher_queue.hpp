#pragma once
// Internal to pg: how the callers of a Batcher wait on one thread.

#include "core/scope.hpp"
#include "pg/batch_pace.hpp"
#include "pg/caller_queue.hpp"
#include "pg/separate_scope.hpp"
#include "pg/untyped_batcher.hpp"

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace pg {

/// Destroys a waiter and its coroutine without resuming it. Used when the I/O context ends.
struct UntypedBatcher::DropWaiter {
    void operator()(Waiter* waiter) const { core::Suspended const frame = std::move(*waiter->caller); }
};

/// A scope that runs separately, and its callers.
struct UntypedBatcher::SeparateScope : SeparateScopeState {
    SeparateScope() : SeparateScopeState{.taking = batch_limit} {}

    bool is_over(Clock::time_point now) const
    {
        return waiting.empty() && !in_service && linger_until <= now;
    }

    /// The number of the scope's callers, including the callers of the current attempt.
    std::size_t size() const { return waiting.size() + trying; }

    std::deque<WaiterPtr> waiting;
    std::size_t trying = 0;      ///< callers of the current attempt
    BatchPace pace{batch_limit}; ///< of its attempts that met no lock
};

/// The callers of one I/O thread. Only that thread uses it.
struct UntypedBatcher::Queue {
    using Clock = SeparateScopeState::Clock;

    /// Whether the limits allow one more waiting caller of the scope.
    bool admits(core::ScopeId scope_id, WaitingLimits const& limits) const
    {
        auto const owner = core::Owner::of(scope_id);
        auto const it = separate_scopes.find(scope_id);
        if (it != separate_scopes.end() && it->second.is_stuck())
            return count(true) < limits.stuck && count(true, owner.tenant) < limits.stuck_of_tenant &&
                   it->second.size() < limits.stuck_of_scope;
        auto const all = waiting.size() + count(false);
        if (all >= limits.all) return false;
        if (all < limits.of_scope || owner.tenant == core::no_tenant) return true;
        auto const of_separate = it == separate_scopes.end() ? 0 : it->second.size();
        return waiting.size_of_tenant(owner.tenant) + count(false, owner.tenant) < limits.of_tenant &&
               waiting.size_of(owner) + of_separate < limits.of_scope;
    }

    /// Whether one more caller of the scope would wait for longer than `longest` until its batch starts.
    bool is_too_late(core::ScopeId scope_id, BatchPace::Seconds longest) const
    {
        if (auto const it = separate_scopes.find(scope_id); it != separate_scopes.end())
            return it->second.pace.wait(it->second.waiting.size()) > longest;
        // The callers ahead are counted only if the wait for the whole queue would be too long.
        return pace.wait(waiting.size()) > longest &&
               pace.wait(waiting.ahead_of(core::Owner::of(scope_id))) > longest;
    }

    /// Whether the scope has more waiting callers than a stuck scope may have.
    bool is_crowded(core::ScopeId scope_id, WaitingLimits const& limits) const
    {
        auto const of_scope = separate_scopes.at(scope_id).waiting.size();
        return of_scope > std::min(limits.stuck_of_scope, limits.stuck) ||
               (of_scope > 1 && (count(true) > limits.stuck ||
                                    count(true, core::tenant_of(scope_id)) > limits.stuck_of_tenant));
    }

    /// The number of callers of scopes that run separately and whose `is_stuck()` equals `stuck`. If `tenant`
    /// is set, only callers of that tenant are counted.
    std::size_t count(bool stuck, std::optional<core::TenantId> tenant = std::nullopt) const
    {
        std::size_t sum = 0;
        for (auto const& [id, scope] : separate_scopes)
            if (scope.is_stuck() == stuck && (!tenant || core::tenant_of(id) == *tenant)) sum += scope.size();
        return sum;
    }

    /// Whether the scope runs separately now. Erases the scope's entry in `separate_scopes` if it is over.
    bool runs_separately(core::ScopeId scope_id)
    {
        auto const it = separate_scopes.find(scope_id);
        if (it == separate_scopes.end()) return false;
        if (!it->second.is_over(Clock::now())) return true;
        separate_scopes.erase(it);
        return false;
    }

    /// The scope whose attempt comes next: the ready scope with the earliest `ready_at`. Returns
    /// `separate_scopes.end()` if no scope is ready.
    auto next_separate(Clock::time_point now)
    {
        auto best = separate_scopes.end();
        for (auto it = separate_scopes.begin(); it != separate_scopes.end(); ++it) {
            SeparateScope const& scope = it->second;
            if (scope.in_service || scope.waiting.empty() || scope.ready_at > now) continue;
            if (best == separate_scopes.end() || scope.ready_at < best->second.ready_at) best = it;
        }
        return best;
    }

    /// When the next scope is ready; nullopt if none waits for an attempt.
    std::optional<Clock::time_point> next_ready() const
    {
        std::optional<Clock::time_point> next;
        for (auto const& [id, scope] : separate_scopes)
            if (!scope.in_service && !scope.waiting.empty() && (!next || scope.ready_at < *next))
                next = scope.ready_at;
        return next;
    }

    CallerQueue<WaiterPtr> waiting{batch_limit};
    BatchPace pace{batch_limit};
    unsigned servers = 0; ///< number of coroutines that run the common batches
    /// Fires when callers have waited for `second_batch_after` while a batch runs. The timer exists only
    /// while a server runs, so that it is destroyed before its io_context.
    std::optional<asio::steady_timer> second_server_timer;

    std::map<core::ScopeId, SeparateScope> separate_scopes;
    unsigned separate_servers = 0; ///< number of coroutines that run separate scopes
    /// Timers of the servers that wait for a scope to be ready.
    std::vector<asio::steady_timer*> sleeping;
    std::minstd_rand random{std::random_device()()};
};

} // namespace pg
