#pragma once
// Only PushHandler uses this header.

#include "domain/notification.hpp"
#include "providers/push_batch.hpp"
#include "storage/carrier_configs.hpp"
#include "storage/push_deliveries.hpp"
#include "workers/carrier_updates.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace notify {

/// The decisions of one run of a push's job, without I/O. Selects the devices to push to, and derives the new
/// state of each device from the results.
class PushRun {
public:
    /// `now` is the start of the run.
    PushRun(Notification notification, std::vector<push_deliveries::Target> devices,
        std::vector<carrier_configs::Sealed> configs, core::Time now);

    /// The devices to push to now: the pending devices whose carrier is not paused.
    std::vector<PushTarget> const& targets() const noexcept { return targets_; }

    /// Applies the results, in the order of `targets()`. `entropy` is any random number.
    void apply(std::span<PushResult const> results, core::Time now, std::uint64_t entropy);

    Notification const& notification() const noexcept { return notification_; }

    /// The scope's configuration of this carrier; null if the scope has none.
    carrier_configs::Sealed const* config_of(Carrier carrier) const noexcept
    {
        return carrier_configs::find(configs_, carrier);
    }

    /// When the job runs next; nullopt if the job is done.
    std::optional<core::Time> next_run() const noexcept { return next_run_; }

    /// Whether the run tried to push to at least one device, so that the run counts as an attempt.
    bool counts() const noexcept { return counts_; }

    bool accepted() const noexcept { return accepted_; } ///< whether a carrier accepted the push in this run

    /// The failure reason of a push that has reached no device. `NO_DEVICES` if the push had no devices.
    std::string const& reason() const noexcept { return reason_; }

    std::vector<PushDelivery> const& changed() const noexcept { return changed_; } ///< deliveries to write

    std::vector<PausedCarrier> const& paused_carriers() const noexcept { return paused_carriers_; }

    /// The device of `targets()[i]` if the carrier answered "token gone". Returns nullopt if the carrier gave
    /// another response, or if the device was registered again after the token became invalid.
    std::optional<devices::Gone> gone(std::size_t i, PushResult const& result) const;

private:
    void classify(std::size_t index);
    void fail(push_deliveries::Target& target, std::string_view reason);
    void pause(Carrier carrier, core::Time seen, std::optional<std::string> refused);
    void apply_one(
        push_deliveries::Target& target, PushResult const& result, std::optional<core::Time> retry);
    void wake_at(core::Time time);
    void wake_after_pause(core::Time until);
    bool may_wait() const noexcept;

    Notification const notification_;
    std::vector<push_deliveries::Target> devices_;
    std::vector<carrier_configs::Sealed> const configs_;
    core::Time const began_;
    core::Time now_;
    std::vector<PushTarget> targets_;
    std::vector<std::size_t> indices_; ///< indexes of `targets_` in `devices_`
    std::vector<PushDelivery> changed_;
    std::vector<PausedCarrier> paused_carriers_;
    std::optional<core::Time> next_run_;
    std::string reason_{failures::no_devices};
    bool counts_ = false;
    bool accepted_ = false;
};

} // namespace notify
