#include "service/tenant_jobs.hpp"

#include "core/wait.hpp"
#include "tenancy/directory.hpp"

#include <utility>

namespace service {

jobs::Handler for_active_tenants(boost::asio::io_context& io, tenancy::Directory& directory,
    core::Clock const& clock, TenantHandler handler)
{
    return [&io, &directory, &clock, handler = std::move(handler)](
               jobs::Claim& claim, std::stop_token const& stop) {
        core::Scope const unnamed{claim.scope_id, {}};
        auto const tenant = core::wait(io.get_executor(), directory.find_by_id(unnamed.tenant_id()));
        if (!tenant) return jobs::Outcome::done();
        if (tenant->suspended) return jobs::Outcome::not_yet(clock.now() + suspended_pause);
        return handler(tenant->scope(unnamed.environment()), claim, stop);
    };
}

Tenants keep_active(std::vector<jobs::Claim>& claims, jobs::AsyncWorker& worker, boost::asio::io_context& io,
    tenancy::Directory& directory, core::Clock const& clock)
{
    Tenants tenants;
    for (auto const& claim : claims) {
        auto const id = core::tenant_of(claim.scope_id);
        auto const [it, is_new] = tenants.try_emplace(id);
        if (is_new) it->second = core::wait(io.get_executor(), directory.find_by_id(id));
    }
    std::vector<jobs::Claim> kept;
    kept.reserve(claims.size());
    for (auto& claim : claims) {
        auto const& tenant = tenants.at(core::tenant_of(claim.scope_id));
        if (!tenant)
            worker.finish({.claim = std::move(claim)});
        else if (tenant->suspended)
            worker.finish({.claim = std::move(claim),
                .kind = jobs::Outcome::Kind::retry,
                .run_at = clock.now() + suspended_pause,
                .counted = false});
        else
            kept.push_back(std::move(claim));
    }
    claims = std::move(kept);
    std::erase_if(tenants, [](auto const& entry) { return !entry.second || entry.second->suspended; });
    return tenants;
}

} // namespace service
