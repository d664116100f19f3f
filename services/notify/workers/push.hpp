#pragma once
// Private to the delivery workers.

#include "core/cache.hpp"
#include "workers/common.hpp"
#include "workers/prune_breakers.hpp"
#include "workers/push_run.hpp"

#include <cstdint>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

namespace notify {

/// Sends pushes: the handler of `queue_of(Channel::push)`.
class PushHandler {
public:
    explicit PushHandler(DeliveryDeps const& deps) : deps_(deps) {}

    /// One attempt at one push, at every device where it is pending (`jobs::Handler`). It counts as sent as
    /// soon as one carrier has taken it, and goes on for the other devices. A platform whose credential is
    /// refused is paused.
    jobs::Outcome operator()(jobs::Claim const& claim, std::stop_token const& stop);

private:
    struct Loaded {
        std::optional<Notification> notification;
        std::vector<deliveries::Target> targets;
        std::vector<platforms::Sealed> platforms;
    };

    using Gone = std::vector<devices::Gone>;

    Loaded load(jobs::Claim const& claim) const;
    Credential::Ptr credential_of(std::int64_t scope_id, platforms::Sealed const& platform);
    PushCredentials credentials_for(std::int64_t scope_id, PushRun const& run);
    /// Asks the carriers; yields the devices to be removed.
    Gone ask(std::int64_t scope_id, PushRun& run, std::stop_token const& stop);
    void count(PushRun const& run, PushCredentials const& credentials, std::span<PushAnswer const> answers);
    Gone gone_of(
        PushRun const& run, PushCredentials const& credentials, std::span<PushAnswer const> answers) const;
    jobs::Outcome end(std::int64_t scope_id, std::shared_ptr<PushRun const> run, Gone gone) const;

    using Version = std::pair<std::int64_t, std::int64_t>; ///< scope and kind; `updated_at`

    DeliveryDeps const& deps_;
    PruneBreakers breakers_;
    core::Cache<Version, Credential> credentials_{1'000, std::chrono::minutes(10)};
};

} // namespace notify
