#pragma once
// Only the delivery workers use this header.

#include "domain/notification.hpp"
#include "providers/push.hpp"
#include "storage/deliveries.hpp"
#include "storage/devices.hpp"
#include "storage/platforms.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace notify {

/// A platform whose credential was refused in this run, or that is already paused. Pushes wait for a new
/// credential.
struct Halted {
    PlatformKind kind{};
    core::Time seen; ///< `updated_at` of its credential
    /// The carrier's reason, if the carrier refused the credential in this run.
    std::optional<std::string> refused;
};

/// The decisions of one run of a push's job, without I/O. Selects the devices to push to, and derives the new
/// state of each device from the carriers' answers.
class PushRun {
public:
    /// `now` is the start of the run.
    PushRun(Notification notification, std::vector<deliveries::Target> targets,
        std::vector<platforms::Sealed> platforms, core::Time now);

    /// The devices to push to now: the pending devices whose platform is not paused.
    std::vector<PushTarget> const& asked() const noexcept { return asked_; }

    /// Applies the answers, in the order of `asked()`. `entropy` is any random number.
    void apply(std::span<PushAnswer const> answers, core::Time now, std::uint64_t entropy);

    Notification const& notification() const noexcept { return notification_; }

    /// The scope's platform of this kind; null if the scope has none.
    platforms::Sealed const* platform_of(PlatformKind kind) const noexcept;

    /// When the job runs next; nullopt if the job is done.
    std::optional<core::Time> again() const noexcept { return again_; }

    /// Whether the run tried to push to at least one device, so that the run counts as an attempt.
    bool counts() const noexcept { return counts_; }

    bool accepted() const noexcept { return accepted_; } ///< whether a carrier accepted the push in this run

    /// The failure reason of a push that has reached no device. `NO_DEVICES` if the push had no devices.
    std::string const& reason() const noexcept { return reason_; }

    std::vector<PushDelivery> const& changed() const noexcept { return changed_; } ///< deliveries to write

    std::vector<Halted> const& halted() const noexcept { return halted_; }

    /// The device of `asked()[i]` if the carrier answered "token gone". Returns nullopt if the carrier gave
    /// another answer, or if the device was registered again after the token became invalid.
    std::optional<devices::Gone> gone(std::size_t i, PushAnswer const& answer) const;

private:
    void sort_out(std::size_t index);
    void fail(deliveries::Target& target, std::string_view reason);
    void halt(PlatformKind kind, core::Time seen, std::optional<std::string> refused);
    void take(deliveries::Target& target, PushAnswer const& answer, std::optional<core::Time> retry);
    void wake_at(core::Time time);
    void wake_after_pause(core::Time until);
    bool may_wait() const noexcept;

    Notification const notification_;
    std::vector<deliveries::Target> targets_;
    std::vector<platforms::Sealed> const platforms_;
    core::Time const began_;
    core::Time now_;
    std::vector<PushTarget> asked_;
    std::vector<std::size_t> indices_; ///< indexes of `asked_` in `targets_`
    std::vector<PushDelivery> changed_;
    std::vector<Halted> halted_;
    std::optional<core::Time> again_;
    std::string reason_{failures::no_devices};
    bool counts_ = false;
    bool accepted_ = false;
};

} // namespace notify
