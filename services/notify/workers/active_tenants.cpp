#include "workers/active_tenants.hpp"

#include "service/tenant_jobs.hpp"
#include "tenancy/tenant.hpp"

namespace notify {

std::map<core::ScopeId, core::Scope> keep_active(
    std::vector<jobs::Claim>& claims, jobs::AsyncWorker& worker, WorkerDeps const& deps)
{
    auto const tenants = service::keep_active(claims, worker, deps.io, deps.directory, deps.clock);
    std::map<core::ScopeId, core::Scope> scopes;
    for (auto const& claim : claims) {
        auto const& tenant = tenants.at(core::tenant_of(claim.scope_id));
        scopes.try_emplace(claim.scope_id, tenant->scope(core::environment_of(claim.scope_id)));
    }
    return scopes;
}

} // namespace notify
