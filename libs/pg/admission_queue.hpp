#pragma once
// Internal to pg: the queue for database threads, with its limits and refusals.

#include "core/fair_queue.hpp"
#include "core/moving_average.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pg {

struct AdmissionQueueOptions {
    std::size_t threads;
    std::size_t limit;                 ///< maximum number of waiting calls
    std::chrono::milliseconds timeout; ///< maximum time that a call may wait
};

/// Calls that wait for a thread, and the number of running calls per owner. The class only makes decisions.
/// Its caller provides the time, holds a lock during each call, and runs the calls on its threads.
///
/// Shares: the calls of a tenant use at most `core::share_of` the threads. The calls of each scope use at
/// most `share_of` the tenant's threads. The queue's `limit` is shared in the same way. Tenants take turns,
/// and so do the scopes of a tenant.
///
/// Admission: a call is refused if it is expected to wait for more than half of `timeout`. The estimate is
/// the pace of its scope × the number of calls ahead of it in that scope. The pace is an exponentially
/// weighted mean of the time between starts of the scope's calls while other calls of the scope waited. So
/// the pace includes delays by locks and by other tenants. For a scope without such a history, the estimate
/// uses the recent duration of all calls and the scope's number of threads. The other half of `timeout`
/// covers estimates that were too low.
template <class Item> class AdmissionQueue {
public:
    using Clock = std::chrono::steady_clock;
    using Seconds = std::chrono::duration<double>;
    using Owner = core::Owner;

    struct Waiting {
        Item item;
        Clock::time_point queued;
    };

    explicit AdmissionQueue(AdmissionQueueOptions options) : options_(options) {}

    /// Returns nullopt if a call of `owner` may be pushed now. Otherwise returns the time after which the
    /// caller should try again.
    std::optional<Seconds> refusal(Owner owner, Clock::time_point now) const
    {
        if (is_full_for(owner) || has_given_up(owner)) return longest_wait();
        Seconds const wait = estimated_wait(owner, now);
        return wait > longest_wait() ? std::optional(wait) : std::nullopt;
    }

    /// The time that a call of `owner` would wait for a thread.
    Seconds estimated_wait(Owner owner, Clock::time_point now) const
    {
        auto const it = scopes_.find(key(owner));
        if (it == scopes_.end()) return Seconds(0);
        Scope const& scope = it->second;
        std::size_t const ahead = scope.waiting + scope.reserved;
        Seconds wait(0);
        if (scope.waiting > 0) wait += now - std::max(scope.last_start, scope.backlog_since);
        // As many calls as the scope has threads may start at once, so the pace does not delay them.
        if (ahead >= threads_of(owner))
            wait += Seconds(pace(owner, scope).value_or(0) * static_cast<double>(ahead + 1));
        return wait;
    }

    /// Counts a call that will be pushed later. Until `release`, decisions about other calls count the
    /// reserved call as a waiting call.
    void reserve(Owner owner) { count_reserved(owner, +1); }

    void release(Owner owner) { count_reserved(owner, -1); }

    void push(Owner owner, Item item, Clock::time_point now)
    {
        Scope& scope = scopes_[key(owner)];
        if (scope.waiting++ == 0) scope.backlog_since = now;
        ++tenants_[owner.tenant].waiting;
        queue_.push(owner, {std::move(item), now});
    }

    /// Whether the owner uses less than its share of the threads.
    bool may_start(Owner owner) const
    {
        if (owner.tenant == core::no_tenant) return true;
        if (running(tenants_, owner.tenant) >= core::share_of(options_.threads)) return false;
        return owner.scope == core::no_scope || running(scopes_, key(owner)) < threads_of(owner);
    }

    bool has_ready() const
    {
        return queue_.has_ready([this](Owner owner) { return may_start(owner); });
    }

    /// Removes and returns the next call in turn that may start; nullopt if no call may start. The call
    /// counts as running until `finish`. With `unlimited`, the shares are ignored.
    std::optional<std::pair<Owner, Item>> take(Clock::time_point now, bool unlimited = false)
    {
        auto next = queue_.pop([&](Owner owner) { return unlimited || may_start(owner); });
        if (!next) return std::nullopt;
        auto const owner = next->first;
        Scope& scope = scopes_[key(owner)];
        if (scope.was_waiting) {
            if (!scope.pace.value())
                if (auto const guess = pace(owner, scope)) scope.pace = core::MovingAverage(*guess);
            scope.pace.add(Seconds(now - scope.last_start).count());
        }
        scope.gave_up = false;
        scope.last_start = now;
        scope.was_waiting = --scope.waiting > 0;
        ++scope.running;
        Tenant& tenant = tenants_[owner.tenant];
        --tenant.waiting;
        ++tenant.running;
        return std::pair(owner, std::move(next->second.item));
    }

    /// Records the end of a call that was taken and ran for `took`.
    void finish(Owner owner, Seconds took)
    {
        // The mean of the logarithms is used, because a few calls that waited long for a lock must not
        // dominate the estimate for other scopes.
        log_of_service_.add(std::log(std::max(took.count(), 1e-6)));
        --scopes_[key(owner)].running;
        --tenants_[owner.tenant].running;
        forget_idle(owner);
    }

    /// Removes and returns the calls that have waited for longer than `timeout`.
    std::vector<Item> remove_late(Clock::time_point now)
    {
        return remove([&](Waiting const& waiting) { return waiting.queued + options_.timeout < now; });
    }

    /// Removes and returns all waiting calls.
    std::vector<Item> remove_all()
    {
        return remove([](Waiting const&) { return true; });
    }

    std::size_t size() const noexcept { return queue_.size(); }

private:
    struct Scope {
        std::size_t waiting = 0, reserved = 0, running = 0;
        Clock::time_point last_start{};    ///< of the scope's calls
        Clock::time_point backlog_since{}; ///< when the first of the waiting calls arrived at an empty queue
        bool was_waiting = false;          ///< whether calls waited at the last start
        bool gave_up = false;              ///< whether a call expired since the last start
        core::MovingAverage pace;          ///< seconds between starts while there is a backlog
    };

    struct Tenant {
        std::size_t waiting = 0, reserved = 0, running = 0;
    };

    /// The key in `scopes_`. A tenant's calls without a scope are counted under its negative id.
    static core::ScopeId key(Owner owner)
    {
        return owner.scope != core::no_scope ? owner.scope : core::ScopeId{-core::number(owner.tenant)};
    }

    template <class Map> static std::size_t running(Map const& counts, typename Map::key_type id)
    {
        auto const it = counts.find(id);
        return it == counts.end() ? 0 : it->second.running;
    }

    template <class Map> static std::size_t places(Map const& counts, typename Map::key_type id)
    {
        auto const it = counts.find(id);
        return it == counts.end() ? 0 : it->second.waiting + it->second.reserved;
    }

    std::size_t threads_of(Owner owner) const
    {
        if (owner.tenant == core::no_tenant) return options_.threads;
        auto const tenants = core::share_of(options_.threads);
        return owner.scope == core::no_scope ? tenants : core::share_of(tenants);
    }

    /// Whether a waiting call of the scope has expired since the scope's last start, and no call of the scope
    /// can start now.
    bool has_given_up(Owner owner) const
    {
        auto const it = scopes_.find(key(owner));
        return it != scopes_.end() && it->second.gave_up && !may_start(owner);
    }

    Seconds longest_wait() const { return Seconds(options_.timeout) / 2; }

    bool is_full_for(Owner owner) const
    {
        if (queue_.size() + reserved_ >= options_.limit) return true;
        if (owner.tenant == core::no_tenant) return false;
        auto const share = core::share_of(options_.limit);
        if (places(tenants_, owner.tenant) >= share) return true;
        return owner.scope != core::no_scope && places(scopes_, key(owner)) >= core::share_of(share);
    }

    /// Seconds between starts of the scope's calls; nullopt before any call has ended.
    std::optional<double> pace(Owner owner, Scope const& scope) const
    {
        if (scope.pace.value()) return scope.pace.value();
        auto const service = log_of_service_.value();
        if (!service) return std::nullopt;
        // The estimate is the harmonic mean of two extremes. With n threads, starts are duration / n apart
        // if calls run in parallel. They are a full duration apart if calls wait for each other's locks.
        return std::exp(*service) * 2 / static_cast<double>(threads_of(owner) + 1);
    }

    void count_reserved(Owner owner, int change)
    {
        auto const add = [change](std::size_t& count) { change > 0 ? ++count : --count; };
        add(scopes_[key(owner)].reserved);
        add(tenants_[owner.tenant].reserved);
        add(reserved_);
        forget_idle(owner);
    }

    template <class IsLate> std::vector<Item> remove(IsLate is_late)
    {
        std::vector<Item> items;
        for (auto& [owner, waiting] : queue_.remove_late(is_late)) {
            Scope& scope = scopes_[key(owner)];
            --scope.waiting;
            scope.gave_up = true;
            --tenants_[owner.tenant].waiting;
            forget_idle(owner);
            items.push_back(std::move(waiting.item));
        }
        return items;
    }

    /// Forgets the owner's counts if it has no call and no reservation. So the memory is bounded by the
    /// number of calls.
    void forget_idle(Owner owner)
    {
        auto const forget = [](auto& counts, auto id) {
            auto const it = counts.find(id);
            auto const& c = it->second;
            if (c.waiting + c.reserved + c.running == 0) counts.erase(it);
        };
        forget(scopes_, key(owner));
        forget(tenants_, owner.tenant);
    }

    AdmissionQueueOptions const options_;
    core::FairQueue<Waiting> queue_;
    std::unordered_map<core::ScopeId, Scope> scopes_;
    std::unordered_map<core::TenantId, Tenant> tenants_;
    std::size_t reserved_ = 0;
    core::MovingAverage log_of_service_; ///< of the duration of calls in seconds
};

} // namespace pg
