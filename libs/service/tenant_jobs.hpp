#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "jobs/worker.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <functional>
#include <stop_token>

namespace tenancy {
class Directory;
}

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

} // namespace service
