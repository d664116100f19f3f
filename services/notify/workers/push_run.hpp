#pragma once
// Private to the delivery workers.

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

/// A platform that is refused, or paused already, with pushes that wait for another credential.
struct Halted {
    PlatformKind kind{};
    core::Time seen; ///< `updated_at` of its credential
    /// Set when the carrier refused the credential just now.
    std::optional<std::string> refused;
};

/// One run of a push's job, without its I/O: which devices are asked, and what follows from their answers.
class PushRun {
public:
    /// What the run finds. `now` is when it begins.
    PushRun(Notification notification, std::vector<deliveries::Target> targets,
        std::vector<platforms::Sealed> platforms, core::Time now);

    /// The devices to be asked now: those where it is pending and nothing stands in the way.
    std::vector<PushTarget> const& asked() const noexcept { return asked_; }

    /// Takes the answers, in the order of `asked()`. `entropy` is any random number.
    void apply(std::span<PushAnswer const> answers, core::Time now, std::uint64_t entropy);

    Notification const& notification() const noexcept { return notification_; }

    /// The scope's platform of that kind; null when it has none.
    platforms::Sealed const* platform_of(PlatformKind kind) const noexcept;

    /// When the job runs next; nullopt: it is done.
    std::optional<core::Time> again() const noexcept { return again_; }

    /// Whether some device was asked, so that this was an attempt.
    bool counts() const noexcept { return counts_; }

    bool accepted() const noexcept { return accepted_; } ///< by some device's carrier just now

    /// Why the push has failed, if it has not reached any device. `NO_DEVICES` when there was none.
    std::string const& reason() const noexcept { return reason_; }

    std::vector<PushDelivery> const& changed() const noexcept { return changed_; } ///< to be written

    std::vector<Halted> const& halted() const noexcept { return halted_; }

    /// The device of `asked()[i]`, when the carrier's answer says that it is gone; nullopt when it does not,
    /// or the device was registered again after it went.
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
    std::vector<std::size_t> indices_; ///< of `asked_` in `targets_`
    std::vector<PushDelivery> changed_;
    std::vector<Halted> halted_;
    std::optional<core::Time> again_;
    std::string reason_{failures::no_devices};
    bool counts_ = false;
    bool accepted_ = false;
};

} // namespace notify
