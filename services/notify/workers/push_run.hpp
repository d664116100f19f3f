#pragma once
// Only PushHandler uses this header.

#include "domain/notification.hpp"
#include "providers/push_batch.hpp"
#include "storage/carrier_configs.hpp"
#include "storage/devices.hpp"
#include "storage/push_deliveries.hpp"
#include "workers/carrier_updates.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace notify {

/// The decisions of one run of the job of a push through one carrier, without I/O. Selects the devices to
/// push to, and derives the new state of each device from the results.
class PushRun {
public:
    /// `devices`: the devices that `carrier` reaches. `config`: the scope's configuration of the carrier;
    /// null if the scope has none. `now` is the start of the run.
    PushRun(Notification notification, Carrier carrier, std::vector<push_deliveries::Target> devices,
        std::shared_ptr<carrier_configs::Sealed const> config, core::Time now);

    /// The devices to push to now: the pending devices, unless the carrier is paused.
    std::vector<PushTarget> const& targets() const noexcept { return targets_; }

    /// The stored device of `targets()[i]`.
    push_deliveries::Target const& device_of(std::size_t i) const { return devices_[indices_[i]]; }

    /// Applies the results, in the order of `targets()`. `entropy` is any random number.
    void apply(std::span<PushResult const> results, core::Time now, std::uint64_t entropy);

    Notification const& notification() const noexcept { return notification_; }

    Carrier carrier() const noexcept { return carrier_; }

    /// The scope's configuration of the carrier; null if the scope has none.
    carrier_configs::Sealed const* config() const noexcept { return config_.get(); }

    /// When the job runs next; nullopt if the job is done.
    std::optional<core::Time> next_run() const noexcept { return next_run_; }

    /// Whether the run tried to push to at least one device, so that the run counts as an attempt.
    bool counts() const noexcept { return counts_; }

    /// The number of attempts through this carrier so far.
    std::int64_t attempts() const noexcept { return attempts_; }

    bool accepted() const noexcept { return accepted_; } ///< whether a carrier accepted the push in this run

    /// The failure reason of a push that has reached no device. `NO_DEVICES` if the push had no devices.
    std::string const& reason() const noexcept { return reason_; }

    std::vector<PushDelivery> const& changed() const noexcept { return changed_; } ///< deliveries to write

    /// Set if the carrier refused the scope's credential in this run, or is already paused.
    std::optional<PausedCarrier> const& paused() const noexcept { return paused_; }

    /// The device of `targets()[i]` if the carrier answered "token gone". Returns nullopt if the carrier gave
    /// another response, or if the device was registered again after the token became invalid.
    std::optional<devices::Gone> gone(std::size_t i, PushResult const& result) const;

private:
    void classify(std::size_t index);
    void fail(push_deliveries::Target& target, std::string_view reason);
    void pause(std::optional<std::string> refused);
    void wait(push_deliveries::Target& target, std::optional<std::string> const& reason);
    void keep(push_deliveries::Target& target, PushResult const& result, std::uint64_t entropy);
    void apply_one(
        push_deliveries::Target& target, PushResult const& result, std::optional<core::Time> retry);
    void wake_at(core::Time time);
    void wake_after_pause(core::Time until);
    bool may_wait() const noexcept;

    Notification const notification_;
    Carrier const carrier_;
    std::vector<push_deliveries::Target> devices_;
    std::shared_ptr<carrier_configs::Sealed const> const config_;
    core::Time const began_;
    core::Time now_;
    std::vector<PushTarget> targets_;
    std::vector<std::size_t> indices_; ///< indexes of `targets_` in `devices_`
    std::vector<PushDelivery> changed_;
    std::optional<PausedCarrier> paused_;
    std::int64_t attempts_ = 0;
    std::optional<core::Time> next_run_;
    std::string reason_{failures::no_devices};
    bool counts_ = false;
    bool accepted_ = false;
};

} // namespace notify
