#pragma once
// Only ChunkHandler uses this header.

#include "domain/broadcast.hpp"
#include "providers/push_batch.hpp"
#include "storage/broadcast_chunks.hpp"
#include "storage/carrier_configs.hpp"
#include "workers/carrier_updates.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace notify {

/// The decisions of one run of a broadcast's chunk, without I/O. Selects the devices to push to, and derives
/// the new state of each device from the results.
class ChunkRun {
public:
    using Chunk = broadcast_chunks::Chunk;
    using Waiting = broadcast_chunks::Waiting;

    /// `devices` are the devices of the chunk that are still registered. The chunk's other devices are
    /// settled as invalid. `now` is the start of the run.
    ChunkRun(Chunk const& chunk, std::vector<broadcast_chunks::Device> devices,
        std::vector<carrier_configs::Sealed> configs, core::Time now);

    /// The run of a cancelled broadcast: all remaining devices fail.
    static ChunkRun cancelled(Chunk const& chunk, core::Time now);

    /// Takes the devices to push to now through `carrier`. A second call returns no devices.
    std::vector<PushTarget> take_targets(Carrier carrier);

    /// Applies the results for `targets`, which `take_targets(carrier)` returned. The results have the order
    /// of the targets. `entropy` is any random number.
    void apply(Carrier carrier, std::span<PushTarget const> targets, std::span<PushResult const> results,
        core::Time now, std::uint64_t entropy);

    /// Devices of `carrier` for which the carrier answered "token gone". `registered_at` of each device is
    /// the latest time of registration at which the device may be removed. It is the earlier of two times:
    /// the time when the device was read, and the time when the token became invalid, as the carrier states.
    std::vector<devices::Gone> const& gone(Carrier carrier) const noexcept { return lane(carrier).gone; }

    Chunk const& chunk() const noexcept { return chunk_; }

    core::Time began() const noexcept { return began_; } ///< start of the chunk's first run

    /// The scope's configuration of this carrier; null if the scope has none.
    carrier_configs::Sealed const* config_of(Carrier carrier) const noexcept
    {
        return carrier_configs::find(configs_, carrier);
    }

    /// The numbers of devices that this run has settled. The devices that this run has not settled are in
    /// `waiting`.
    Settled const& settled() const noexcept { return settled_; }

    std::vector<Waiting> const& waiting() const noexcept { return waiting_; }

    /// When the chunk runs next; nullopt if no device waits.
    std::optional<core::Time> next_run() const noexcept { return next_run_; }

    /// Whether some devices wait for a paused carrier.
    bool waits_for_carrier() const noexcept { return waits_for_carrier_; }

    /// Carriers that refused the scope's credential in this run, or that are already paused.
    std::vector<PausedCarrier> const& paused_carriers() const noexcept { return paused_carriers_; }

private:
    /// The pushes through one carrier.
    struct Lane {
        std::vector<PushTarget> targets;
        std::vector<DeviceAttempts> attempts; ///< of the targets, in their order
        std::vector<devices::Gone> gone;
    };

    ChunkRun(Chunk const& chunk, core::Time now);

    Lane& lane(Carrier carrier) noexcept { return lanes_[static_cast<std::size_t>(carrier)]; }

    Lane const& lane(Carrier carrier) const noexcept { return lanes_[static_cast<std::size_t>(carrier)]; }

    core::Time wait_end() const noexcept { return began_ + chunk_carrier_wait; }

    void classify(broadcast_chunks::Device&& device);
    void apply_one(Carrier carrier, std::int64_t device_id, DeviceAttempts attempts, PushResult const& result,
        std::uint64_t entropy);
    void apply_gone(Carrier carrier, std::int64_t device_id, PushResult const& result);
    void apply_refusal(Carrier carrier, Waiting const& device, PushResult const& result);
    void retry(Waiting device, std::optional<core::Time> at);
    void wait_for_carrier(Waiting const& device, core::Time until);
    void leave(Waiting const& device, core::Time at);
    void pause(Carrier carrier, std::optional<std::string> refused);

    Chunk const chunk_;
    std::vector<carrier_configs::Sealed> configs_;
    core::Time const run_began_;
    core::Time const began_;
    core::Time now_;
    std::array<Lane, core::names_of<Carrier>.size()> lanes_;
    Settled settled_;
    std::vector<Waiting> waiting_;
    std::vector<PausedCarrier> paused_carriers_;
    std::optional<core::Time> next_run_;
    bool waits_for_carrier_ = false;
};

} // namespace notify
