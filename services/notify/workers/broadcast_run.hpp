#pragma once
// Only the delivery workers use this header.

#include "domain/broadcast.hpp"
#include "providers/push.hpp"
#include "storage/broadcast_chunks.hpp"
#include "storage/devices.hpp"
#include "storage/platforms.hpp"
#include "workers/push_run.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace notify {

/// The decisions of one run of a broadcast's chunk, without I/O. Selects the devices to push to, and derives
/// the new state of each device from the carriers' answers.
class BroadcastRun {
public:
    using Chunk = broadcast_chunks::Chunk;
    using Waiting = broadcast_chunks::Waiting;

    /// `devices` are the devices of the chunk that are still registered. The chunk's other devices are
    /// settled as invalid. `now` is the start of the run.
    BroadcastRun(Chunk const& chunk, std::vector<broadcast_chunks::Device> devices,
        std::vector<platforms::Sealed> platforms, core::Time now);

    /// The run of a cancelled broadcast: all remaining devices fail.
    static BroadcastRun cancelled(Chunk const& chunk, core::Time now);

    /// Takes the devices to push to now through `kind`. A second call returns no devices.
    std::vector<PushTarget> take_targets(PlatformKind kind);

    /// Applies the answers to `targets`, which `take_targets(kind)` returned. The answers have the order of
    /// the targets. `entropy` is any random number.
    void apply(PlatformKind kind, std::span<PushTarget const> targets, std::span<PushAnswer const> answers,
        core::Time now, std::uint64_t entropy);

    /// Devices of `kind` for which the carrier answered "token gone". `registered_at` of each device is the
    /// latest time of registration at which the device may be removed: the time when the device was read, or
    /// the time when the token became invalid according to the carrier, whichever is earlier.
    std::vector<devices::Gone> const& gone(PlatformKind kind) const noexcept { return lane(kind).gone; }

    Chunk const& chunk() const noexcept { return chunk_; }

    core::Time began() const noexcept { return began_; } ///< start of the chunk's first run

    /// The scope's platform of this kind; null if the scope has none.
    platforms::Sealed const* platform_of(PlatformKind kind) const noexcept;

    /// The numbers of devices that this run has settled. The devices that this run has not settled are in
    /// `waiting`.
    Settled const& settled() const noexcept { return settled_; }

    std::vector<Waiting> const& waiting() const noexcept { return waiting_; }

    /// When the chunk runs next; nullopt if no device waits.
    std::optional<core::Time> again() const noexcept { return again_; }

    /// Whether some devices wait for a paused platform.
    bool waits_for_platform() const noexcept { return waits_for_platform_; }

    /// Platforms whose credential was refused in this run, or that are already paused.
    std::vector<Halted> const& halted() const noexcept { return halted_; }

private:
    /// The pushes through one carrier.
    struct Lane {
        std::vector<PushTarget> targets;
        std::vector<Tries> tries; ///< of the targets, in their order
        std::vector<devices::Gone> gone;
    };

    BroadcastRun(Chunk const& chunk, core::Time now);

    Lane& lane(PlatformKind kind) noexcept { return lanes_[static_cast<std::size_t>(kind)]; }

    Lane const& lane(PlatformKind kind) const noexcept { return lanes_[static_cast<std::size_t>(kind)]; }

    core::Time patience_ends() const noexcept { return began_ + broadcast_patience; }

    void sort_out(broadcast_chunks::Device&& device);
    void take(PlatformKind kind, std::int64_t device_id, Tries tries, PushAnswer const& answer,
        std::uint64_t entropy);
    void take_gone(PlatformKind kind, std::int64_t device_id, PushAnswer const& answer);
    void take_refusal(PlatformKind kind, Waiting const& device, PushAnswer const& answer);
    void try_again(Waiting device, std::optional<core::Time> at);
    void wait_for_platform(Waiting const& device, core::Time until);
    void leave(Waiting const& device, core::Time at);
    void halt(PlatformKind kind, std::optional<std::string> refused);

    Chunk const chunk_;
    std::vector<platforms::Sealed> platforms_;
    core::Time const run_began_;
    core::Time const began_;
    core::Time now_;
    std::array<Lane, platform_kinds.size()> lanes_;
    Settled settled_;
    std::vector<Waiting> waiting_;
    std::vector<Halted> halted_;
    std::optional<core::Time> again_;
    bool waits_for_platform_ = false;
};

} // namespace notify
