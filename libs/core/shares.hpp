#pragma once

#include "core/fair_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace core {

/// Limits the amount of a bounded resource that each owner may hold. The limit is a fraction n/d (`numerator
/// / denominator`) of the capacity that is free at that time ("dynamic thresholds", Choudhury and Hahne,
/// 1998). An owner that holds nothing may take at least one unit. A single owner gets up to n/(n+d) of the
/// capacity. If k owners take their maximum, each gets n/(k*n+d) of the capacity, and some capacity stays
/// free for one more owner. Not thread-safe.
template <class Owner> class Shares {
public:
    /// `of_free_*`: the limit as a fraction of the free capacity.
    constexpr Shares(std::size_t capacity, std::size_t of_free_numerator, std::size_t of_free_denominator)
        : capacity_(capacity), numerator_(of_free_numerator), denominator_(of_free_denominator)
    {
    }

    /// The amount that the owner may take now. At least 1 if the owner holds nothing and capacity is free.
    std::size_t allowance(Owner const& owner) const
    {
        // The largest `more` with held + more <= numerator/denominator * (free - more).
        std::size_t const free = capacity_ - std::min(used_, capacity_);
        std::size_t const share = free * numerator_;
        std::size_t const debt = held(owner) * denominator_;
        std::size_t const more = share > debt ? (share - debt) / (numerator_ + denominator_) : 0;
        return held_.contains(owner) ? more : std::min(free, std::max<std::size_t>(1, more));
    }

    /// Whether the owner may take `amount`. An owner that holds nothing may take any amount up to the free
    /// capacity, even beyond `allowance`, so that large amounts are not refused for ever.
    bool admits(Owner const& owner, std::size_t amount = 1) const
    {
        if (used_ + amount > capacity_) return false;
        return !held_.contains(owner) || amount <= allowance(owner);
    }

    void take(Owner const& owner, std::size_t amount = 1)
    {
        if (amount == 0) return;
        held_[owner] += amount;
        used_ += amount;
    }

    /// Returns an amount that was taken.
    void give_back(Owner const& owner, std::size_t amount = 1)
    {
        if (amount == 0) return;
        auto const it = held_.find(owner);
        used_ -= amount;
        it->second -= amount;
        if (it->second == 0) held_.erase(it);
    }

    std::size_t used() const noexcept { return used_; }

    std::size_t capacity() const noexcept { return capacity_; }

    std::size_t held(Owner const& owner) const
    {
        auto const it = held_.find(owner);
        return it == held_.end() ? 0 : it->second;
    }

private:
    std::size_t capacity_, numerator_, denominator_;
    std::size_t used_ = 0;
    std::unordered_map<Owner, std::size_t> held_;
};

/// Shares of tenants, and of the scopes within a tenant. A scope may hold `share_of(amount)`, where `amount`
/// is the amount that its tenant may hold now. A scope that holds nothing may take once any amount that its
/// tenant may take. Not thread-safe.
class OwnerShares {
public:
    OwnerShares(std::size_t capacity, std::size_t of_free_numerator, std::size_t of_free_denominator)
        : tenants_(capacity, of_free_numerator, of_free_denominator)
    {
    }

    /// Like `Shares::admits`, but also applies the limit of the scope.
    bool admits(Owner const& owner, std::size_t amount = 1) const
    {
        if (!tenants_.admits(owner.tenant, amount)) return false;
        auto const scope = scopes_.find(owner.scope);
        if (scope == scopes_.end()) return true;
        std::size_t const of_tenant = tenants_.held(owner.tenant) + tenants_.allowance(owner.tenant);
        return scope->second + amount <= share_of(of_tenant);
    }

    void take(Owner const& owner, std::size_t amount = 1)
    {
        tenants_.take(owner.tenant, amount);
        if (amount > 0) scopes_[owner.scope] += amount;
    }

    /// Returns an amount that was taken.
    void give_back(Owner const& owner, std::size_t amount = 1)
    {
        tenants_.give_back(owner.tenant, amount);
        if (amount == 0) return;
        auto const scope = scopes_.find(owner.scope);
        scope->second -= amount;
        if (scope->second == 0) scopes_.erase(scope);
    }

    std::size_t used() const noexcept { return tenants_.used(); }

private:
    Shares<TenantId> tenants_;
    std::unordered_map<ScopeId, std::size_t> scopes_; ///< amount per scope, never 0
};

} // namespace core
