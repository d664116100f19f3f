#pragma once

#include "core/scope.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace core {

/// The scope for which work is done, and its tenant.
struct Owner {
    TenantId tenant{}; ///< 0: no tenant, or several
    ScopeId scope{};   ///< 0: no scope, or several

    /// `scope_id` is a `Scope::id`; 0 means no scope.
    static Owner of(ScopeId scope_id) { return {.tenant = tenant_of(scope_id), .scope = scope_id}; }

    friend bool operator==(Owner const&, Owner const&) = default;
};

/// The part of a resource of size `all` that one tenant may use, or the part of a tenant's share that one of
/// its scopes may use. The part is three quarters, rounded up, but at most `all` - 1, so that one unit is
/// left for others. If `all` is 1, the part is 1.
constexpr std::size_t share_of(std::size_t all) noexcept
{
    return all < 2 ? all : all - std::max<std::size_t>(1, all / 4);
}

/// A round-robin queue: tenants take turns, and so do the scopes within a tenant. Items of one scope leave
/// the queue in the order of arrival. All items without a tenant belong to one further tenant, with id 0. Not
/// thread-safe.
template <class Item> class FairQueue {
public:
    void push(Owner owner, Item item)
    {
        auto const [known, is_new] = by_tenant_.try_emplace(owner.tenant, tenants_.end());
        if (is_new) known->second = tenants_.insert(tenants_.end(), Tenant{owner.tenant, 0, {}});
        ++known->second->size;
        auto& scopes = known->second->scopes;
        auto scope = std::ranges::find(scopes, owner.scope, &Scoped::scope);
        if (scope == scopes.end()) scope = scopes.insert(scopes.end(), Scoped{owner.scope, {}});
        scope->items.push_back(std::move(item));
        ++size_;
    }

    /// Whether `pop(may_start)` would return an item.
    template <class MayStart> bool has_ready(MayStart may_start) const
    {
        return std::ranges::any_of(tenants_, [&](Tenant const& tenant) {
            return std::ranges::any_of(
                tenant.scopes, [&](Scoped const& scope) { return may_start(Owner{tenant.id, scope.scope}); });
        });
    }

    /// Removes and returns the next item whose owner `may_start(Owner)` accepts; nullopt if there is none.
    template <class MayStart> std::optional<std::pair<Owner, Item>> pop(MayStart may_start)
    {
        for (auto tenant = tenants_.begin(); tenant != tenants_.end(); ++tenant)
            for (auto scope = tenant->scopes.begin(); scope != tenant->scopes.end(); ++scope)
                if (Owner const owner{tenant->id, scope->scope}; may_start(owner))
                    return std::pair(owner, take(tenant, scope));
        return std::nullopt;
    }

    /// Removes items from the front of each scope's queue while `is_late(Item const&)` holds. Returns them.
    template <class IsLate> std::vector<std::pair<Owner, Item>> remove_late(IsLate is_late)
    {
        std::vector<std::pair<Owner, Item>> removed;
        for (auto tenant = tenants_.begin(); tenant != tenants_.end();) {
            for (auto scope = tenant->scopes.begin(); scope != tenant->scopes.end();) {
                for (auto& items = scope->items; !items.empty() && is_late(items.front());
                    items.pop_front()) {
                    removed.emplace_back(Owner{tenant->id, scope->scope}, std::move(items.front()));
                    --tenant->size;
                }
                scope = scope->items.empty() ? tenant->scopes.erase(scope) : std::next(scope);
            }
            if (tenant->scopes.empty()) by_tenant_.erase(tenant->id);
            tenant = tenant->scopes.empty() ? tenants_.erase(tenant) : std::next(tenant);
        }
        size_ -= removed.size();
        return removed;
    }

    std::size_t size() const noexcept { return size_; }

    /// The number of items of a tenant.
    std::size_t size_of_tenant(TenantId id) const
    {
        auto const it = by_tenant_.find(id);
        return it == by_tenant_.end() ? 0 : it->second->size;
    }

    /// The number of items of one scope.
    std::size_t size_of(Owner owner) const
    {
        auto const it = by_tenant_.find(owner.tenant);
        return it == by_tenant_.end() ? 0 : it->second->size_of(owner.scope);
    }

    /// The number of items that would leave the queue before an item of `owner` that is pushed now. Assumes
    /// that `may_start` accepts each owner and that no other item is pushed. Takes time in proportion to the
    /// number of tenants with items.
    std::size_t ahead_of(Owner owner) const
    {
        auto const it = by_tenant_.find(owner.tenant);
        if (it == by_tenant_.end()) return tenants_.size();
        Tenant const& tenant = *it->second;
        std::size_t const of_tenant =
            ahead_in_turns(tenant.scopes, owner.scope, &Scoped::scope, tenant.size_of(owner.scope));
        return ahead_in_turns(tenants_, owner.tenant, &Tenant::id, of_tenant);
    }

private:
    struct Scoped {
        ScopeId scope;
        std::deque<Item> items; ///< never empty

        std::size_t count() const noexcept { return items.size(); }
    };

    struct Tenant {
        TenantId id;
        std::size_t size;         ///< items of all its scopes
        std::list<Scoped> scopes; ///< in the order of their turns; never empty

        std::size_t count() const noexcept { return size; }

        std::size_t size_of(ScopeId scope_id) const
        {
            auto const scope = std::ranges::find(scopes, scope_id, &Scoped::scope);
            return scope == scopes.end() ? 0 : scope->items.size();
        }
    };

    using Tenants = std::list<Tenant>;

    /// The number of items that leave before item number `own` + 1 of the member `id`. `round` lists the
    /// members (tenants, or scopes of a tenant) in the order of their turns, and may lack `id`. In each turn,
    /// one item of one member leaves.
    template <class Member, class Id>
    static std::size_t ahead_in_turns(
        std::list<Member> const& round, Id id, Id Member::* member_id, std::size_t own)
    {
        std::size_t ahead = own;
        std::size_t turns = own + 1; // members before `id` have one turn more than members after it
        for (Member const& member : round) {
            if (member.*member_id == id)
                turns = own;
            else
                ahead += std::min(member.count(), turns);
        }
        return ahead;
    }

    /// Takes the scope's first item. The scope and its tenant move to the end of their rounds.
    Item take(typename Tenants::iterator tenant, typename std::list<Scoped>::iterator scope)
    {
        Item item = std::move(scope->items.front());
        scope->items.pop_front();
        --tenant->size;
        --size_;
        auto& scopes = tenant->scopes;
        if (scope->items.empty())
            scopes.erase(scope);
        else
            scopes.splice(scopes.end(), scopes, scope);
        if (scopes.empty()) {
            by_tenant_.erase(tenant->id);
            tenants_.erase(tenant);
        } else {
            tenants_.splice(tenants_.end(), tenants_, tenant);
        }
        return item;
    }

    Tenants tenants_; ///< in the order of their turns
    std::unordered_map<TenantId, typename Tenants::iterator> by_tenant_;
    std::size_t size_ = 0;
};

} // namespace core
