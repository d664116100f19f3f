#include "workers/active_tenants.hpp"

#include "core/wait.hpp"
#include "service/tenant_jobs.hpp"
#include "tenancy/directory.hpp"

#include <memory>
#include <utility>

namespace notify {

namespace {

using Tenants = std::map<core::TenantId, std::shared_ptr<tenancy::Tenant const>>;

Tenants tenants_of(std::vector<jobs::Claim> const& claims, WorkerDeps const& deps)
{
    Tenants tenants;
    for (auto const& claim : claims) {
        auto const id = core::tenant_of(claim.scope_id);
        auto const [it, is_new] = tenants.try_emplace(id);
        if (is_new) it->second = core::wait(deps.io.get_executor(), deps.directory.find_by_id(id));
    }
    return tenants;
}

} // namespace

std::map<core::ScopeId, core::Scope> keep_active(
    std::vector<jobs::Claim>& claims, jobs::AsyncWorker& worker, WorkerDeps const& deps)
{
    auto const tenants = tenants_of(claims, deps);
    std::map<core::ScopeId, core::Scope> scopes;
    std::vector<jobs::Claim> kept;
    kept.reserve(claims.size());
    for (auto& claim : claims) {
        auto const& tenant = tenants.at(core::tenant_of(claim.scope_id));
        if (!tenant) {
            worker.finish({.claim = std::move(claim)});
        } else if (tenant->suspended) {
            worker.finish({.claim = std::move(claim),
                .kind = jobs::Outcome::Kind::retry,
                .run_at = deps.clock.now() + service::suspended_pause,
                .counted = false});
        } else {
            scopes.try_emplace(claim.scope_id, tenant->scope(core::environment_of(claim.scope_id)));
            kept.push_back(std::move(claim));
        }
    }
    claims = std::move(kept);
    return scopes;
}

} // namespace notify
