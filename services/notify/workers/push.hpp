#pragma once
// Only the delivery workers use this header.

#include "workers/carriers.hpp"
#include "workers/common.hpp"
#include "workers/push_run.hpp"

#include <cstdint>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

namespace notify {

/// Sends pushes. The handler of `queue_of(Channel::push)`.
class PushHandler {
public:
    PushHandler(DeliveryDeps const& deps, Carriers& carriers) : deps_(deps), carriers_(carriers) {}

    /// Makes one attempt to send one push to every device to which the push is pending (`jobs::Handler`). The
    /// status becomes `sent` when a carrier has accepted the push for one device. Attempts continue for the
    /// other devices. A platform whose credential is refused is paused.
    jobs::Outcome operator()(jobs::Claim& claim, std::stop_token const& stop);

private:
    struct Loaded {
        std::optional<Notification> notification;
        std::vector<deliveries::Target> targets;
        std::vector<platforms::Sealed> platforms;
    };

    Loaded load(jobs::Claim const& claim) const;
    PushCredentials credentials_for(std::int64_t scope_id, PushRun const& run);
    /// Sends to the carriers and returns the pruning that follows.
    Pruning ask(jobs::Claim const& claim, PushRun& run, SharedPush const& push, std::stop_token const& stop);
    Pruning pruning_of(std::int64_t scope_id, PushRun const& run, std::span<PushAnswer const> answers) const;
    jobs::Outcome end(
        std::int64_t scope_id, std::shared_ptr<PushRun const> const& run, Pruning pruning) const;

    DeliveryDeps const& deps_;
    Carriers& carriers_;
};

} // namespace notify
