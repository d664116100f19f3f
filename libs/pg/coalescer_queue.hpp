#pragma once
// Included by coalescer_impl.hpp: the callers of a Coalescer, and how they wait on one thread.

#include "pg/apart.hpp"
#include "pg/batch_pace.hpp"
#include "pg/caller_queue.hpp"
#include "pg/coalescer.hpp"

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace pg {

/// One caller. Lives in the frame of its `run`, which `caller` owns while it is suspended.
template <class In, class Out> struct Coalescer<In, Out>::Waiter {
    explicit Waiter(In value) : input(std::move(value)), scope_id(scope_of(input)) {}

    ~Waiter()
    {
        if (counted) --*counted;
    }

    Waiter(Waiter const&) = delete;
    Waiter& operator=(Waiter const&) = delete;

    bool is_answered() const { return output || failure; }

    In input;
    std::int64_t const scope_id;
    std::optional<Out> output;
    std::exception_ptr failure;
    std::optional<core::Suspended> caller;
    ApartScope::Clock::time_point deadline;               ///< once its scope goes by itself
    std::shared_ptr<std::atomic<std::int64_t>> counted{}; ///< callers of scopes that go by themselves
};

/// Destroys a waiter and its coroutine, when their I/O context ends.
template <class In, class Out> struct Coalescer<In, Out>::Drop {
    void operator()(Waiter* waiter) const { core::Suspended const frame = std::move(*waiter->caller); }
};

/// A scope that goes by itself, and its callers.
template <class In, class Out> struct Coalescer<In, Out>::Apart : ApartScope {
    Apart() : ApartScope{.taking = batch_limit} {}

    bool is_over(Clock::time_point now) const
    {
        return waiting.empty() && !in_service && lingers_until <= now;
    }

    /// Its callers, those of the attempt under way included.
    std::size_t size() const { return waiting.size() + trying; }

    std::deque<Held> waiting;
    std::size_t trying = 0;      ///< callers of the attempt under way
    BatchPace pace{batch_limit}; ///< of its attempts that met no lock
};

/// The callers on one I/O thread. Used by that thread alone.
template <class In, class Out> struct Coalescer<In, Out>::Queue {
    using Clock = ApartScope::Clock;

    /// Whether one more caller of the scope may wait, as far as places go.
    bool admits(std::int64_t scope_id, WaitingLimits const& limits) const
    {
        auto const owner = core::Owner::of(scope_id);
        auto const it = apart.find(scope_id);
        if (it != apart.end() && it->second.is_stuck())
            return count(true) < limits.stuck && count(true, owner.tenant) < limits.stuck_of_tenant &&
                   it->second.size() < limits.stuck_of_scope;
        auto const all = waiting.size() + count(false);
        if (all >= limits.all) return false;
        if (all < limits.of_scope || owner.tenant == 0) return true;
        auto const of_apart = it == apart.end() ? 0 : it->second.size();
        return waiting.size_of_tenant(owner.tenant) + count(false, owner.tenant) < limits.of_tenant &&
               waiting.size_of(owner) + of_apart < limits.of_scope;
    }

    /// Whether one more caller of the scope would wait for longer than `longest` until its batch begins.
    bool is_too_late(std::int64_t scope_id, BatchPace::Seconds longest) const
    {
        if (auto const it = apart.find(scope_id); it != apart.end())
            return it->second.pace.wait(it->second.waiting.size()) > longest;
        // Its turn is looked for only where it matters.
        return pace.wait(waiting.size()) > longest &&
               pace.wait(waiting.ahead_of(core::Owner::of(scope_id))) > longest;
    }

    /// Whether more of the scope's callers wait than a stuck scope may have.
    bool is_crowded(std::int64_t scope_id, WaitingLimits const& limits) const
    {
        auto const of_scope = apart.at(scope_id).waiting.size();
        return of_scope > std::min(limits.stuck_of_scope, limits.stuck) ||
               (of_scope > 1 && (count(true) > limits.stuck ||
                                    count(true, core::Owner::of(scope_id).tenant) > limits.stuck_of_tenant));
    }

    /// Callers of scopes that go by themselves and are stuck, or are not; all, or those of a tenant.
    std::size_t count(bool stuck, std::optional<std::int64_t> tenant = std::nullopt) const
    {
        std::size_t sum = 0;
        for (auto const& [id, scope] : apart)
            if (scope.is_stuck() == stuck && (!tenant || core::Owner::of(id).tenant == *tenant))
                sum += scope.size();
        return sum;
    }

    /// Whether a caller of the scope does not join the common batch.
    bool goes_apart(std::int64_t scope_id)
    {
        auto const it = apart.find(scope_id);
        if (it == apart.end()) return false;
        if (!it->second.is_over(Clock::now())) return true;
        apart.erase(it);
        return false;
    }

    /// The scope whose turn it is: the one that has waited longest since its last attempt or its pause. The
    /// end when none is ready.
    auto next_apart(Clock::time_point now)
    {
        auto best = apart.end();
        for (auto it = apart.begin(); it != apart.end(); ++it) {
            Apart const& scope = it->second;
            if (scope.in_service || scope.waiting.empty() || scope.ready_at > now) continue;
            if (best == apart.end() || scope.ready_at < best->second.ready_at) best = it;
        }
        return best;
    }

    /// When the next scope is ready; nullopt when none waits for an attempt.
    std::optional<Clock::time_point> next_ready() const
    {
        std::optional<Clock::time_point> next;
        for (auto const& [id, scope] : apart)
            if (!scope.in_service && !scope.waiting.empty() && (!next || scope.ready_at < *next))
                next = scope.ready_at;
        return next;
    }

    CallerQueue<Held> waiting{batch_limit};
    BatchPace pace{batch_limit};
    unsigned servers = 0; ///< coroutines that take batches off it
    /// Fires when a caller has waited too long for a server. Exists only while a server runs, so that it is
    /// destroyed before its context.
    std::optional<asio::steady_timer> relief;

    std::map<std::int64_t, Apart> apart;
    unsigned apart_servers = 0; ///< coroutines that run scopes by themselves
    /// Of the servers that wait for a scope to be ready.
    std::vector<asio::steady_timer*> sleeping;
    std::minstd_rand random{std::random_device()()};
};

} // namespace pg
