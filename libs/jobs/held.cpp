#include "jobs/held.hpp"

#include <iterator>

namespace jobs {

void Held::add(std::vector<Claim> claims)
{
    for (auto& claim : claims) {
        ++by_scope_[claim.scope_id];
        active_.emplace(std::tuple(claim.scope_id, claim.ref, claim.token), claim);
        ready_.push_back(std::move(claim));
    }
}

std::optional<Claim> Held::begin_next()
{
    if (ready_.empty()) return std::nullopt;
    Claim claim = std::move(ready_.front());
    ready_.pop_front();
    return claim;
}

std::vector<Claim> Held::drop_ready()
{
    std::vector<Claim> dropped(
        std::make_move_iterator(ready_.begin()), std::make_move_iterator(ready_.end()));
    ready_.clear();
    for (auto const& claim : dropped)
        forget(claim);
    return dropped;
}

bool Held::forget(Claim const& claim)
{
    if (active_.erase({claim.scope_id, claim.ref, claim.token}) == 0) return false;
    auto const it = by_scope_.find(claim.scope_id);
    if (--it->second == 0) by_scope_.erase(it);
    return true;
}

std::vector<Claim> Held::all() const
{
    std::vector<Claim> claims;
    claims.reserve(active_.size());
    for (auto const& [key, claim] : active_)
        claims.push_back(claim);
    return claims;
}

} // namespace jobs
