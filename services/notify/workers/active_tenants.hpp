#pragma once
// Only the job handlers use this header.

#include "core/scope.hpp"
#include "jobs/async_worker.hpp"
#include "workers/deps.hpp"

#include <map>
#include <optional>
#include <vector>

namespace notify {

/// The scopes of active tenants among the scopes of `claims`, with their names. Otherwise as
/// service::keep_active.
std::map<core::ScopeId, core::Scope> keep_active(
    std::vector<jobs::Claim>& claims, jobs::AsyncWorker& worker, WorkerDeps const& deps);

} // namespace notify
