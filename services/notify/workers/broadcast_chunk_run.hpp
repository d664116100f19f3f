#pragma once
// Only ChunkHandler uses this header.

#include "domain/broadcast.hpp"
#include "providers/push_batch.hpp"
#include "storage/broadcast_chunks.hpp"
#include "storage/carrier_configs.hpp"
#include "storage/devices.hpp"
#include "workers/carrier_updates.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace notify {

/// The decisions of one run of a broadcast's chunk, without I/O. Selects the devices to push to, and derives
/// the new state of each device from the results.
class ChunkRun {
public:
    using Chunk = broadcast_chunks::Chunk;
    using Waiting = broadcast_chunks::Waiting;

    /// `devices`: the devices of the chunk that are still registered, in the order of their ids. The chunk's
    /// other devices are settled as invalid. `config`: the scope's configuration of the carrier; null if the
    /// scope has none. `now` is the start of the run.
    ChunkRun(Chunk const& chunk, Carrier carrier, std::vector<broadcast_chunks::Device> devices,
        std::shared_ptr<carrier_configs::Sealed const> config, core::Time now);

    /// The run of a cancelled broadcast: all remaining devices fail.
    static ChunkRun cancelled(Chunk const& chunk, Carrier carrier, core::Time now);

    /// Takes the devices to push to now, in the order of their ids. A second call returns no devices.
    std::vector<PushTarget> take_targets() { return std::exchange(targets_, {}); }

    /// Applies the results for `targets`, which `take_targets` returned, in their order. `entropy` is any
    /// random number.
    void apply(std::span<PushTarget const> targets, std::span<PushResult const> results, core::Time now,
        std::uint64_t entropy);

    Chunk const& chunk() const noexcept { return chunk_; }

    Carrier carrier() const noexcept { return carrier_; }

    core::Time began() const noexcept { return began_; } ///< start of the chunk's first run

    /// The time until which the chunk waits for its carrier.
    static core::Time wait_end(Chunk const& chunk, core::Time now) noexcept
    {
        return chunk.began_at.value_or(now) + chunk_carrier_wait;
    }

    /// The scope's configuration of the carrier; null if the scope has none.
    carrier_configs::Sealed const* config() const noexcept { return config_.get(); }

    /// Devices for which the carrier answered "token gone". `registered_at` of each device is the latest time
    /// of registration at which the device may be removed. It is the earlier of two times: the time when the
    /// device was read, and the time when the token became invalid, as the carrier states.
    std::vector<devices::Gone> const& gone() const noexcept { return gone_; }

    /// The numbers of devices that this run has settled. The other devices are in `range` and `waiting`.
    Settled const& settled() const noexcept { return settled_; }

    /// The devices to which no push was tried yet; may be empty.
    broadcast_chunks::Range const& range() const noexcept { return range_; }

    std::vector<Waiting> const& waiting() const noexcept { return waiting_; }

    /// When the chunk runs next; nullopt if all devices are settled.
    std::optional<core::Time> next_run() const noexcept { return next_run_; }

    /// Set if the carrier refused the scope's credential in this run, or is already paused.
    std::optional<PausedCarrier> const& paused() const noexcept { return paused_; }

private:
    /// A device of `targets_`.
    struct Pushed {
        DeviceAttempts attempts;
        bool in_range = true;
    };

    ChunkRun(Chunk const& chunk, Carrier carrier, core::Time now);

    core::Time wait_end() const noexcept { return began_ + chunk_carrier_wait; }

    bool may_wait(PushResult const& result) const;
    void classify(broadcast_chunks::Device&& device);
    void apply_one(
        std::int64_t device_id, DeviceAttempts attempts, PushResult const& result, std::uint64_t entropy);
    void apply_gone(std::int64_t device_id, PushResult const& result);
    void keep_range(std::span<PushTarget const> targets, std::span<PushResult const> results,
        std::size_t from, std::uint64_t entropy);
    void retry(Waiting device, std::optional<core::Time> at);
    void wait_for_credential(Waiting const& device, core::Time until);
    void leave(Waiting const& device, core::Time at);
    void run_at(core::Time at);
    void pause(std::optional<std::string> refused);

    Chunk const chunk_;
    Carrier const carrier_;
    std::shared_ptr<carrier_configs::Sealed const> config_;
    core::Time const run_began_;
    core::Time const began_;
    core::Time now_;
    std::vector<PushTarget> targets_;
    std::vector<Pushed> pushed_; ///< of the targets, in their order
    std::vector<devices::Gone> gone_;
    Settled settled_;
    broadcast_chunks::Range range_;
    std::vector<Waiting> waiting_;
    std::optional<PausedCarrier> paused_;
    std::optional<core::Time> next_run_;
};

} // namespace notify
