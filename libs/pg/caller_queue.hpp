#pragma once
// Internal to pg: callers of a Batcher that wait for a common batch.

#include "core/fair_queue.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <iterator>
#include <utility>
#include <vector>

namespace pg {

/// Callers that wait for a batch. Tenants take turns, and so do the environments of a tenant. Callers of one
/// scope leave in the order of their arrival. `Caller` is a pointer to an object with a `scope_id`.
///
/// While all waiting callers fit into one batch, they leave together and wait in a plain queue. Turns would
/// cost time, and are needed only for a backlog. Not thread-safe.
template <class Caller> class CallerQueue {
public:
    using Clock = std::chrono::steady_clock;

    /// `batch_limit`: maximum number of callers in one batch.
    explicit CallerQueue(std::size_t batch_limit) : batch_limit_(batch_limit) {}

    void push(Caller caller)
    {
        if (turns_.size() == 0 && few_.size() + 1 < batch_limit_) {
            few_.push_back(std::move(caller));
            return;
        }
        auto const now = Clock::now();
        for (Caller& one : few_)
            push_in_turn(std::move(one), now);
        few_.clear();
        push_in_turn(std::move(caller), now);
    }

    /// Removes and returns the next batch, by turns.
    std::vector<Caller> take() { return take(batch_limit_); }

    std::vector<Caller> take_all() { return take(size()); }

    /// Removes and returns the callers that have waited for longer than `timeout`. Returns none while all
    /// callers fit into the next batch.
    std::vector<Caller> take_late(Clock::duration timeout)
    {
        std::vector<Caller> late;
        if (turns_.size() <= batch_limit_) return late;
        auto const latest = Clock::now() - timeout;
        for (auto& [owner, waiting] : turns_.remove_late([&](Waiting const& w) { return w.since < latest; }))
            late.push_back(std::move(waiting.caller));
        return late;
    }

    std::size_t size() const noexcept { return few_.size() + turns_.size(); }

    bool empty() const noexcept { return size() == 0; }

    /// The number of callers of a tenant.
    std::size_t size_of_tenant(core::TenantId id) const
    {
        auto const is_its = [&](Caller const& caller) { return owner_of(caller).tenant == id; };
        return count_few(is_its) + turns_.size_of_tenant(id);
    }

    /// The number of callers of one scope.
    std::size_t size_of(core::Owner owner) const
    {
        auto const is_its = [&](Caller const& caller) { return owner_of(caller) == owner; };
        return count_few(is_its) + turns_.size_of(owner);
    }

    /// The number of callers that leave before a caller of `owner` that is pushed now, as
    /// `core::FairQueue::ahead_of`.
    std::size_t ahead_of(core::Owner owner) const
    {
        return turns_.size() == 0 ? few_.size() : turns_.ahead_of(owner);
    }

private:
    struct Waiting {
        Caller caller;
        Clock::time_point since;
    };

    static core::Owner owner_of(Caller const& caller) { return core::Owner::of(caller->scope_id); }

    void push_in_turn(Caller caller, Clock::time_point now)
    {
        auto const owner = owner_of(caller);
        turns_.push(owner, Waiting{std::move(caller), now});
    }

    std::vector<Caller> take(std::size_t count)
    {
        std::vector<Caller> taken;
        taken.reserve(std::min(count, size()));
        if (!few_.empty()) {
            std::ranges::move(few_, std::back_inserter(taken));
            few_.clear();
            return taken;
        }
        while (taken.size() < count) {
            auto next = turns_.pop([](core::Owner) { return true; });
            if (!next) break;
            taken.push_back(std::move(next->second.caller));
        }
        return taken;
    }

    template <class Condition> std::size_t count_few(Condition condition) const
    {
        return static_cast<std::size_t>(std::ranges::count_if(few_, condition));
    }

    std::size_t batch_limit_;
    std::deque<Caller> few_; ///< fewer than a batch; empty while `turns_` is not
    core::FairQueue<Waiting> turns_;
};

} // namespace pg
