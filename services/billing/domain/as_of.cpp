#include "domain/as_of.hpp"

#include <algorithm>
#include <map>

namespace billing {

std::vector<Entitlement> entitlements_as_of(
    core::Time at, std::vector<Entitlement> const& now, std::vector<Entitlement> const& folded)
{
    std::map<core::Uuid, Entitlement> found;
    for (auto const& e : folded)
        found.emplace(e.id, e);
    for (auto const& e : now) {
        if (e.last.at <= at) {
            found.insert_or_assign(e.id, e);
        } else if (e.source == Source::manual && e.status == Status::expired && e.purchased_at <= at) {
            found.emplace(e.id, e).first->second.status = Status::active;
        }
    }
    std::vector<Entitlement> entitlements;
    for (auto& [id, e] : found)
        entitlements.push_back(std::move(e));
    std::ranges::sort(entitlements, [](Entitlement const& a, Entitlement const& b) {
        return a.created_at != b.created_at ? a.created_at > b.created_at : a.id > b.id;
    });
    return entitlements;
}

} // namespace billing
