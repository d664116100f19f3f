#pragma once
// Only the job handlers use this header.

#include "core/scope.hpp"
#include "jobs/async_worker.hpp"
#include "workers/deps.hpp"

#include <map>
#include <optional>
#include <vector>

namespace notify {

/// The scopes of active tenants among the scopes of `claims`, with their names. Blocks until the tenants are
/// read, so call it on a worker's thread. Ends the jobs of removed tenants and puts off the jobs of suspended
/// tenants; these claims are removed from `claims`. Throws core::Error UNAVAILABLE, before it ends any job,
/// if a tenant cannot be read.
std::map<core::ScopeId, core::Scope> keep_active(
    std::vector<jobs::Claim>& claims, jobs::AsyncWorker& worker, WorkerDeps const& deps);

} // namespace notify
