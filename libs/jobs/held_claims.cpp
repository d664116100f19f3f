#include "jobs/held_claims.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace jobs {

void HeldClaims::add(std::vector<Claim> claims)
{
    for (auto& claim : claims) {
        ++by_scope_[claim.scope_id];
        active_.emplace(std::tuple(claim.scope_id, claim.ref, claim.token), claim);
        ready_.push_back(std::move(claim));
    }
}

std::optional<Claim> HeldClaims::begin_next()
{
    if (ready_.empty()) return std::nullopt;
    Claim claim = std::move(ready_.front());
    ready_.pop_front();
    return claim;
}

std::vector<Claim> HeldClaims::drop_ready()
{
    std::vector<Claim> dropped(
        std::make_move_iterator(ready_.begin()), std::make_move_iterator(ready_.end()));
    ready_.clear();
    for (auto const& claim : dropped)
        forget(claim);
    return dropped;
}

bool HeldClaims::forget(Claim const& claim)
{
    if (active_.erase({claim.scope_id, claim.ref, claim.token}) == 0) return false;
    auto const it = by_scope_.find(claim.scope_id);
    if (--it->second == 0) by_scope_.erase(it);
    return true;
}

std::vector<Claim> HeldClaims::all() const
{
    std::vector<Claim> claims;
    claims.reserve(active_.size());
    for (auto const& [key, claim] : active_)
        claims.push_back(claim);
    return claims;
}

std::size_t HeldClaims::of_tenant(core::TenantId tenant) const
{
    std::size_t held = 0;
    for (auto const scope : core::scopes_of(tenant))
        if (auto const it = by_scope_.find(scope); it != by_scope_.end()) held += it->second;
    return held;
}

bool HeldClaims::limit_scopes(ClaimRequest& request, std::size_t claim_per_scope,
    std::function<std::size_t(core::TenantId tenant)> const& allowance) const
{
    auto const half_of = [&](core::TenantId tenant) { return (allowance(tenant) + 1) / 2; };
    request.max_per_scope = std::clamp<std::size_t>(half_of(core::no_tenant), 1, claim_per_scope);
    bool limited = false;
    for (auto const& [scope, count] : by_scope_) {
        std::size_t const most = std::min(half_of(tenant_of(scope)), request.max_per_scope);
        if (most == request.max_per_scope) continue;
        limited = true;
        for (auto const each : core::scopes_of(tenant_of(scope)))
            request.running[each] = request.max_per_scope - most;
    }
    return limited;
}

} // namespace jobs
