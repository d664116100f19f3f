#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "jobs/async_worker.hpp"
#include "jobs/worker.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <vector>

namespace tenancy {
class Directory;
struct Tenant;
} // namespace tenancy

namespace service {

/// How often a suspended tenant's jobs are checked again.
inline constexpr std::chrono::minutes suspended_pause{5};

/// A handler of jobs that belong to a tenant. `scope` is the claim's scope.
using TenantHandler =
    std::function<jobs::Outcome(core::Scope const& scope, jobs::Claim& claim, std::stop_token const& stop)>;

/// Runs `handler` for the jobs of active tenants. The jobs of a suspended tenant wait, and the jobs of a
/// removed tenant end. The result throws core::Error UNAVAILABLE if the tenant cannot be read. `io` looks
/// tenants up; it must run until the worker has stopped. All references must outlive the result.
jobs::Handler for_active_tenants(boost::asio::io_context& io, tenancy::Directory& directory,
    core::Clock const& clock, TenantHandler handler);

/// The tenants of jobs, by their ids.
using Tenants = std::map<core::TenantId, std::shared_ptr<tenancy::Tenant const>>;

/// As `for_active_tenants`, for jobs::AsyncHandler::begin. Returns the active tenants among the tenants of
/// `claims`. Blocks until the tenants are read, so call it on a worker's thread. Ends the jobs of removed
/// tenants and puts off the jobs of suspended tenants; these claims are removed from `claims`. Throws
/// core::Error UNAVAILABLE, before it ends any job, if a tenant cannot be read.
Tenants keep_active(std::vector<jobs::Claim>& claims, jobs::AsyncWorker& worker, boost::asio::io_context& io,
    tenancy::Directory& directory, core::Clock const& clock);

} // namespace service
