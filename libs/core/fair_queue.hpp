#pragma once

#include "core/identity.hpp"

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

/// The scope that work is done for, and its tenant.
struct Owner {
    std::int64_t tenant = 0; ///< 0: no tenant, or several
    std::int64_t scope = 0;  ///< 0: no scope, or several

    /// `scope_id` as in `Scope::id`; 0 is no scope.
    static Owner of(std::int64_t scope_id)
    {
        return {.tenant = Scope{.id = scope_id, .slug = {}}.tenant_id(), .scope = scope_id};
    }

    friend bool operator==(Owner const&, Owner const&) = default;
};

/// The share of `all` threads or places that one tenant may use, or one scope of its tenant's share: three
/// quarters, and at least one less than all, so that one is left for the others. A single thread or place is
/// not shared.
constexpr std::size_t share_of(std::size_t all) noexcept
{
    return all < 2 ? all : all - std::max<std::size_t>(1, all / 4);
}

/// Items that wait, in turns: tenants take turns, and within a tenant its scopes. The items of one scope
/// leave in the order in which they came. What has no tenant takes its turns as one more tenant. Not
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

    /// Whether `pop` would find an item.
    template <class MayStart> bool has_ready(MayStart may_start) const
    {
        return std::ranges::any_of(tenants_, [&](Tenant const& tenant) {
            return std::ranges::any_of(
                tenant.scopes, [&](Scoped const& scope) { return may_start(Owner{tenant.id, scope.scope}); });
        });
    }

    /// The next item in turn whose owner `may_start(Owner)` accepts; nullopt when there is none.
    template <class MayStart> std::optional<std::pair<Owner, Item>> pop(MayStart may_start)
    {
        for (auto tenant = tenants_.begin(); tenant != tenants_.end(); ++tenant)
            for (auto scope = tenant->scopes.begin(); scope != tenant->scopes.end(); ++scope)
                if (Owner const owner{tenant->id, scope->scope}; may_start(owner))
                    return std::pair(owner, take(tenant, scope));
        return std::nullopt;
    }

    /// Removes the items at the front of each scope's queue for which `is_late(Item const&)`.
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

    /// The items of a tenant.
    std::size_t size_of_tenant(std::int64_t id) const
    {
        auto const it = by_tenant_.find(id);
        return it == by_tenant_.end() ? 0 : it->second->size;
    }

    /// The items of one scope.
    std::size_t size_of(Owner owner) const
    {
        auto const it = by_tenant_.find(owner.tenant);
        return it == by_tenant_.end() ? 0 : it->second->size_of(owner.scope);
    }

    /// How many items `pop` would yield before an item of `owner` that is pushed now, if it accepts every
    /// owner and nothing else is pushed. Takes time in proportion to the number of tenants that have items.
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
        std::int64_t scope;
        std::deque<Item> items; ///< never empty

        std::size_t count() const noexcept { return items.size(); }
    };

    struct Tenant {
        std::int64_t id;
        std::size_t size;         ///< of its scopes' items
        std::list<Scoped> scopes; ///< whose turn is next first; never empty

        std::size_t count() const noexcept { return size; }

        std::size_t size_of(std::int64_t scope_id) const
        {
            auto const scope = std::ranges::find(scopes, scope_id, &Scoped::scope);
            return scope == scopes.end() ? 0 : scope->items.size();
        }
    };

    using Tenants = std::list<Tenant>;

    /// The items that members of `round` take before the member `id`, which may be new, takes one more than
    /// `own` items.
    template <class Member>
    static std::size_t ahead_in_turns(
        std::list<Member> const& round, std::int64_t id, std::int64_t Member::* member_id, std::size_t own)
    {
        std::size_t ahead = own;
        std::size_t turns = own + 1; // of the members before it, one more than of those after it
        for (Member const& member : round) {
            if (member.*member_id == id)
                turns = own;
            else
                ahead += std::min(member.count(), turns);
        }
        return ahead;
    }

    /// Takes the scope's first item. The scope and its tenant go to the end of their rounds.
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

    Tenants tenants_; ///< whose turn is next first
    std::unordered_map<std::int64_t, typename Tenants::iterator> by_tenant_;
    std::size_t size_ = 0;
};

} // namespace core
