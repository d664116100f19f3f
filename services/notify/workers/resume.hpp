#pragma once
// Private to the delivery workers.

#include "workers/common.hpp"

#include <stop_token>

namespace notify {

/// Has the pushes, and the chunks of broadcasts, that waited for a platform tried now: the handler of
/// `platform_state::resume_queue`.
class Resume {
public:
    explicit Resume(DeliveryDeps const& deps) : deps_(deps) {}

    /// Brings their jobs forward, some at a time (`jobs::Handler`). What is interrupted begins anew.
    jobs::Outcome operator()(jobs::Claim const& claim, std::stop_token const& stop) const;

private:
    DeliveryDeps const& deps_;
};

} // namespace notify
