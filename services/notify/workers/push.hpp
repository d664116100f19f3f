#pragma once
// Only JobHandlers uses this header.

#include "core/scope.hpp"
#include "providers/push_sender.hpp"
#include "workers/carrier_state.hpp"
#include "workers/notification_job.hpp"
#include "workers/push_run.hpp"

#include <memory>
#include <stop_token>
#include <vector>

namespace notify {

/// Sends pushes. The handler of `queue_of(Channel::push)`.
class PushHandler {
public:
    PushHandler(WorkerDeps const& deps, CarrierState& carrier_state)
        : deps_(deps), carrier_state_(carrier_state)
    {
    }

    /// Makes one attempt to send one push to every device to which the push is pending. The status becomes
    /// `sent` when a carrier has accepted the push for one device. Attempts continue for the other devices. A
    /// carrier that refuses its credential is paused for the scope.
    jobs::Outcome operator()(core::Scope const& scope, jobs::Claim& claim, std::stop_token const& stop);

private:
    struct Loaded {
        std::optional<Notification> notification;
        std::vector<push_deliveries::Target> targets;
        std::vector<carrier_configs::Sealed> configs;
    };

    Loaded load(jobs::Claim& claim) const;
    PushCredentials credentials_for(core::ScopeId scope_id, PushRun const& run);
    Pruning pruning_of(jobs::Claim const& claim, PushRun const& run, std::span<PushResult const> results);
    jobs::Outcome end(
        core::ScopeId scope_id, std::shared_ptr<PushRun const> const& run, Pruning pruning) const;

    WorkerDeps const& deps_;
    CarrierState& carrier_state_;
};

} // namespace notify
