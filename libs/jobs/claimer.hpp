#pragma once
// Internal to the workers.

#include "jobs/lease_takeover.hpp"
#include "jobs/queue.hpp"
#include "jobs/scope_rotation.hpp"
#include "pg/database.hpp"
#include "pg/tx_batch.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jobs {

/// Claims jobs of one queue for a worker, in rounds over the scopes, and renews the leases of held jobs. Not
/// thread-safe.
class Claimer {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// `lease`, `takeover_delay`: see WorkerOptions. `database` must outlive this object.
    Claimer(pg::Database& database, std::string queue, Milliseconds lease,
        std::optional<Milliseconds> takeover_delay)
        : database_(database), queue_(std::move(queue)), lease_(lease), takeover_(lease, takeover_delay),
          next_renewal_(Clock::now() + lease / 3)
    {
    }

    struct Taken {
        std::vector<Claim> claims;
        bool more = false; ///< false if a whole round over all scopes has found no job, or has left none
    };

    /// Whether the next claim begins a round. A job that is enqueued later in a round may belong to a scope
    /// that the round has passed.
    bool between_rounds() const noexcept { return rotation_.between_rounds(); }

    /// Claims jobs within the limits of `request`. Overwrites its `queue`, `lease`, `after_scope` and
    /// `include_expired`. Throws the exceptions of the database.
    Taken take(ClaimRequest request)
    {
        request.queue = queue_;
        request.lease = lease_;
        request.after_scope = rotation_.cursor;
        request.include_expired = takeover_.may_claim_expired();
        auto result = database_.transact_blocking(pg::Scopes{}, [&](pg::Tx& tx) {
            pg::use_batch_plans(tx);
            return claim(tx, request);
        });
        takeover_.database_answered();
        bool const more = rotation_.advance(result, limited(request, result));
        return {std::move(result.claims), more};
    }

    /// Renews the leases of the claims that `held()` returns, if a renewal is due. A renewal is due a third
    /// of a lease after the last one. If the last one skipped some leases, it is due a twelfth of a lease
    /// after it. Throws the exceptions of the database.
    template <class Held> void renew_when_due(Held held)
    {
        auto const now = Clock::now();
        if (now < next_renewal_) return;
        std::vector<Claim> const claims = held();
        std::size_t renewed = 0;
        if (!claims.empty()) {
            renewed = database_.transact_blocking(
                pg::Scopes{}, [&](pg::Tx& tx) { return renew(tx, claims, lease_); });
            takeover_.database_answered();
        }
        bool const all = renewed == claims.size();
        next_renewal_ = now + (all ? lease_ / 3 : lease_ / 12);
    }

private:
    using Clock = std::chrono::steady_clock;

    /// Whether a limit of the request has stopped the claim.
    static bool limited(ClaimRequest const& request, ClaimResult const& result)
    {
        auto counts = request.running;
        for (auto const& claim : result.claims)
            ++counts[claim.scope_id];
        return result.claims.size() == request.limit || std::ranges::any_of(counts, [&](auto const& of) {
            return of.second >= request.max_per_scope;
        });
    }

    pg::Database& database_;
    std::string const queue_;
    Milliseconds const lease_;
    ScopeRotation rotation_;
    LeaseTakeover takeover_;
    Clock::time_point next_renewal_;
};

} // namespace jobs
