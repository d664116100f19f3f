#pragma once
// Internal to the workers.

#include "core/scope.hpp"
#include "jobs/queue.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace jobs {

/// The claims of one worker: of jobs that wait for a thread and of jobs that run. Not thread-safe.
class HeldClaims {
public:
    void add(std::vector<Claim> claims);

    bool has_ready() const noexcept { return !ready_.empty(); }

    /// Returns the next waiting claim. From then on it counts as running. Returns nullopt if no claim waits.
    std::optional<Claim> begin_next();

    /// Removes and returns the waiting claims.
    std::vector<Claim> drop_ready();

    /// Removes a claim. Returns false if it was removed before.
    bool forget(Claim const& claim);

    std::vector<Claim> all() const;

    std::size_t size() const noexcept { return active_.size(); }

    /// The number of claims of a tenant, in its two scopes together.
    std::size_t of_tenant(core::TenantId tenant) const;

    /// Sets the limits per scope of a claim: each scope of a tenant may take half of the tenant's allowance,
    /// rounded up, and at most `claim_per_scope` jobs. `allowance` returns how many more jobs a tenant may
    /// hold. `allowance(core::no_tenant)` applies to a tenant that holds no job. Returns true if the limit of
    /// some tenant is lower than the limit of a tenant that holds no job.
    bool limit_scopes(ClaimRequest& request, std::size_t claim_per_scope,
        std::function<std::size_t(core::TenantId tenant)> const& allowance) const;

private:
    std::deque<Claim> ready_;
    /// The claims of waiting and running jobs. The key is scope, ref and token. It contains the token because
    /// a job whose lease was lost may be claimed again while its first run continues.
    std::map<std::tuple<core::ScopeId, core::Uuid, core::Uuid>, Claim> active_;
    std::map<core::ScopeId, std::size_t> by_scope_; ///< the number of claims in `active_`
};

} // namespace jobs
