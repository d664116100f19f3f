#pragma once
// Only JobHandlers uses this header.

#include "core/scope.hpp"
#include "jobs/worker.hpp"
#include "workers/deps.hpp"

#include <stop_token>

namespace notify {

/// Removes the devices that a completed broadcast has found gone. The handler of `broadcasts::prune_queue`. A
/// broadcast is judged as a whole: if too many of a credential's devices are gone (`is_suspicious`), none is
/// removed, and pruning stops for the credential.
class BroadcastPruneHandler {
public:
    explicit BroadcastPruneHandler(WorkerDeps const& deps) : deps_(deps) {}

    /// Removes the devices, a limited number per transaction. An interrupted run goes on where it ended.
    jobs::Outcome operator()(core::Scope const& scope, jobs::Claim& claim, std::stop_token const& stop) const;

private:
    void judge(jobs::Claim const& claim) const;
    bool remove_some(jobs::Claim const& claim) const;

    WorkerDeps const& deps_;
};

} // namespace notify
