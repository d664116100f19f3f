#pragma once
// Only the delivery workers use this header.

#include "workers/common.hpp"

#include <stop_token>

namespace notify {

/// Makes the pushes and broadcast chunks that waited for a platform due now. The handler of
/// `platform_state::resume_queue`.
class Resume {
public:
    explicit Resume(DeliveryDeps const& deps) : deps_(deps) {}

    /// Makes the waiting jobs due now, a limited number per transaction (`jobs::Handler`). An interrupted run
    /// starts again from the first job.
    jobs::Outcome operator()(jobs::Claim const& claim, std::stop_token const& stop) const;

private:
    DeliveryDeps const& deps_;
};

} // namespace notify
