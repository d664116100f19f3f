#pragma once
// Private to pg: what waits for a database thread, who may start, and what is refused.

#include "core/fair_queue.hpp"
#include "core/smoothed.hpp"

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

struct JobQueueOptions {
    std::size_t threads;
    std::size_t limit;                 ///< waiting jobs
    std::chrono::milliseconds timeout; ///< the longest that a job may wait
};

/// Jobs that wait for a thread, and how many of each owner run. It decides; it has no clock, no lock and no
/// thread of its own.
///
/// Shares: a tenant runs on `core::share_of` the threads, each of its scopes on `share_of` that; both have
/// the same shares of the places. Tenants take turns, and within a tenant its scopes.
///
/// Admission: a job is refused when it would wait for more than half of `timeout`. The wait is estimated from
/// the time between the starts of the scope's jobs while others of it waited (an exponentially weighted mean,
/// which contains what locks and other tenants cost it) × the jobs ahead of it in its scope. Until that is
/// known, the time that jobs took of late and the threads of its share tell it. The other half of `timeout`
/// is for estimates that were wrong.
template <class Item> class JobQueue {
public:
    using Clock = std::chrono::steady_clock;
    using Seconds = std::chrono::duration<double>;
    using Owner = core::Owner;

    struct Waiting {
        Item item;
        Clock::time_point queued;
    };

    explicit JobQueue(JobQueueOptions options) : options_(options) {}

    /// nullopt: a job of `owner` may be pushed now. Otherwise how long it would wait.
    std::optional<Seconds> refusal(Owner owner, Clock::time_point now) const
    {
        if (is_full_for(owner) || has_given_up(owner)) return longest_wait();
        Seconds const wait = estimated_wait(owner, now);
        return wait > longest_wait() ? std::optional(wait) : std::nullopt;
    }

    /// How long a job of `owner` would wait for a thread.
    Seconds estimated_wait(Owner owner, Clock::time_point now) const
    {
        auto const it = scopes_.find(key(owner));
        if (it == scopes_.end()) return Seconds(0);
        Scope const& scope = it->second;
        std::size_t const ahead = scope.waiting + scope.reserved;
        Seconds wait(0);
        if (scope.waiting > 0) wait += now - std::max(scope.last_start, scope.backlog_since);
        // As many calls as the scope has threads start soon, so the estimate does not matter.
        if (ahead >= threads_of(owner))
            wait += Seconds(pace(owner, scope).value_or(0) * static_cast<double>(ahead + 1));
        return wait;
    }

    /// Counts a job that is going to be pushed, for the decisions on others, until `release`.
    void reserve(Owner owner) { count_reserved(owner, +1); }

    void release(Owner owner) { count_reserved(owner, -1); }

    void push(Owner owner, Item item, Clock::time_point now)
    {
        Scope& scope = scopes_[key(owner)];
        if (scope.waiting++ == 0) scope.backlog_since = now;
        ++tenants_[owner.tenant].waiting;
        queue_.push(owner, {std::move(item), now});
    }

    /// Whether the owner has less than its share of the threads.
    bool may_start(Owner owner) const
    {
        if (owner.tenant == 0) return true;
        if (running(tenants_, owner.tenant) >= core::share_of(options_.threads)) return false;
        return owner.scope == 0 || running(scopes_, key(owner)) < threads_of(owner);
    }

    bool has_ready() const
    {
        return queue_.has_ready([this](Owner owner) { return may_start(owner); });
    }

    /// The next job in turn that may start; it counts as running until `finish`. `unlimited`: without shares.
    std::optional<std::pair<Owner, Item>> take(Clock::time_point now, bool unlimited = false)
    {
        auto next = queue_.pop([&](Owner owner) { return unlimited || may_start(owner); });
        if (!next) return std::nullopt;
        auto const owner = next->first;
        Scope& scope = scopes_[key(owner)];
        if (scope.was_waiting) {
            if (!scope.pace.value())
                if (auto const guess = pace(owner, scope)) scope.pace = core::Smoothed(*guess);
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

    /// A job that was taken has ended after running for `took`.
    void finish(Owner owner, Seconds took)
    {
        // Of logarithms: a few jobs that waited for a lock are not what the next scope's will take.
        log_of_service_.add(std::log(std::max(took.count(), 1e-6)));
        --scopes_[key(owner)].running;
        --tenants_[owner.tenant].running;
        forget_idle(owner);
    }

    /// The jobs that have waited for longer than `timeout`.
    std::vector<Item> remove_late(Clock::time_point now)
    {
        return remove([&](Waiting const& waiting) { return waiting.queued + options_.timeout < now; });
    }

    /// All jobs that wait.
    std::vector<Item> remove_all()
    {
        return remove([](Waiting const&) { return true; });
    }

    std::size_t size() const noexcept { return queue_.size(); }

private:
    struct Scope {
        std::size_t waiting = 0, reserved = 0, running = 0;
        Clock::time_point last_start{};    ///< of a job
        Clock::time_point backlog_since{}; ///< when the queue was empty last
        bool was_waiting = false;          ///< a job, at the last start
        bool gave_up = false;              ///< a job waited for too long, since the last start
        core::Smoothed pace;               ///< seconds from one start to the next, while there is a backlog
    };

    struct Tenant {
        std::size_t waiting = 0, reserved = 0, running = 0;
    };

    /// What has no scope of its own is counted beside the tenant's scopes.
    static std::int64_t key(Owner owner) { return owner.scope != 0 ? owner.scope : -owner.tenant; }

    template <class Map> static std::size_t running(Map const& counts, std::int64_t id)
    {
        auto const it = counts.find(id);
        return it == counts.end() ? 0 : it->second.running;
    }

    template <class Map> static std::size_t places(Map const& counts, std::int64_t id)
    {
        auto const it = counts.find(id);
        return it == counts.end() ? 0 : it->second.waiting + it->second.reserved;
    }

    std::size_t threads_of(Owner owner) const
    {
        if (owner.tenant == 0) return options_.threads;
        auto const tenants = core::share_of(options_.threads);
        return owner.scope == 0 ? tenants : core::share_of(tenants);
    }

    /// Whether a job of the scope was given up, and none can start yet.
    bool has_given_up(Owner owner) const
    {
        auto const it = scopes_.find(key(owner));
        return it != scopes_.end() && it->second.gave_up && !may_start(owner);
    }

    Seconds longest_wait() const { return Seconds(options_.timeout) / 2; }

    bool is_full_for(Owner owner) const
    {
        if (queue_.size() + reserved_ >= options_.limit) return true;
        if (owner.tenant == 0) return false;
        auto const share = core::share_of(options_.limit);
        if (places(tenants_, owner.tenant) >= share) return true;
        return owner.scope != 0 && places(scopes_, key(owner)) >= core::share_of(share);
    }

    /// Seconds from one start of the scope's jobs to the next; nullopt before anything is known.
    std::optional<double> pace(Owner owner, Scope const& scope) const
    {
        if (scope.pace.value()) return scope.pace.value();
        auto const service = log_of_service_.value();
        if (!service) return std::nullopt;
        // Between all at once and, waiting for each other's locks, one after the other.
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

    /// Only owners of jobs are remembered, so memory is bounded by their number.
    void forget_idle(Owner owner)
    {
        auto const forget = [](auto& counts, std::int64_t id) {
            auto const it = counts.find(id);
            auto const& c = it->second;
            if (c.waiting + c.reserved + c.running == 0) counts.erase(it);
        };
        forget(scopes_, key(owner));
        forget(tenants_, owner.tenant);
    }

    JobQueueOptions const options_;
    core::FairQueue<Waiting> queue_;
    std::unordered_map<std::int64_t, Scope> scopes_;
    std::unordered_map<std::int64_t, Tenant> tenants_;
    std::size_t reserved_ = 0;
    core::Smoothed log_of_service_; ///< of the seconds that jobs take
};

} // namespace pg
