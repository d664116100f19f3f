#pragma once
// Only JobHandlers uses this header.

#include "jobs/worker.hpp"
#include "workers/deps.hpp"

#include <stop_token>

namespace notify {

/// Makes the pushes and broadcast chunks that waited for a paused carrier due now. The handler of
/// `carrier_configs::resume_queue`.
class ResumeHandler {
public:
    explicit ResumeHandler(WorkerDeps const& deps) : deps_(deps) {}

    /// Makes the waiting jobs due now, a limited number per transaction (`jobs::Handler`). An interrupted run
    /// starts again from the first job.
    jobs::Outcome operator()(jobs::Claim const& claim, std::stop_token const& stop) const;

private:
    WorkerDeps const& deps_;
};

} // namespace notify
