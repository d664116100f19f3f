#pragma once
// Private to the delivery workers.

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

/// One run of a broadcast's chunk, without its I/O: which devices are asked, and what follows from their
/// answers.
class BroadcastRun {
public:
    using Chunk = broadcast_chunks::Chunk;
    using Waiting = broadcast_chunks::Waiting;

    /// What the run finds. `devices`: those of the chunk that are registered still; the others are settled as
    /// invalid. `now` is when it begins.
    BroadcastRun(Chunk const& chunk, std::vector<broadcast_chunks::Device> devices,
        std::vector<platforms::Sealed> platforms, core::Time now);

    /// A run of a broadcast that was cancelled: all that is left has failed.
    static BroadcastRun cancelled(Chunk const& chunk, core::Time now);

    /// The devices that `kind` is asked for now, which whoever asks takes.
    std::vector<PushTarget> take_targets(PlatformKind kind);

    /// Takes the answers to what was taken of `kind`, in that order. `entropy` is any random number.
    void apply(PlatformKind kind, std::span<PushTarget const> targets, std::span<PushAnswer const> answers,
        core::Time now, std::uint64_t entropy);

    /// Devices of `kind` about which the carrier said that they are gone. One that was registered again since
    /// they were read, or since the carrier says they went, is not to be removed.
    std::vector<devices::Gone> const& gone(PlatformKind kind) const noexcept { return lane(kind).gone; }

    Chunk const& chunk() const noexcept { return chunk_; }

    core::Time began() const noexcept { return began_; } ///< this run or, if there were others, the first

    /// The scope's platform of that kind; null when it has none.
    platforms::Sealed const* platform_of(PlatformKind kind) const noexcept;

    /// What this run has settled; with `waiting` all that was left.
    Settled const& settled() const noexcept { return settled_; }

    std::vector<Waiting> const& waiting() const noexcept { return waiting_; }

    /// When those that wait are looked at next; nullopt when none do.
    std::optional<core::Time> again() const noexcept { return again_; }

    /// Whether some of those wait for a platform that is paused.
    bool waits_for_platform() const noexcept { return waits_for_platform_; }

    /// Platforms that are refused, or paused already.
    std::vector<Halted> const& halted() const noexcept { return halted_; }

private:
    /// What one carrier is asked for.
    struct Lane {
        std::vector<PushTarget> targets;
        std::vector<Tries> tries; ///< of the targets
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
