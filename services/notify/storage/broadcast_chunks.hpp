#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "domain/broadcast.hpp"
#include "domain/credential.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The table `broadcast_chunks`: ranges of devices of a broadcast that are not settled. The transaction must
/// see the scope `scope_id`.
namespace notify::broadcast_chunks {

/// The queue of the jobs that send a chunk. A job's ref is the chunk's id.
inline constexpr std::string_view queue = "notify.broadcast_chunk";

/// A range of device ids.
struct Range {
    std::int64_t first = 0, last = 0; ///< inclusive
    std::int64_t devices = 0;         ///< number of devices in the range
};

/// Splits the devices with ids above `after`, up to `last`, into ranges of `size` devices, in the order of
/// their ids. Returns at most `limit` ranges. The last range of the broadcast may have fewer devices.
std::vector<Range> split(pg::Tx& tx, core::ScopeId scope_id, std::int64_t after, std::int64_t last,
    std::size_t size, std::size_t limit);

/// Inserts a chunk for each range, each with a job that is due at once.
void insert(
    pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& broadcast_id, std::span<Range const> ranges);

/// A chunk at the start of a run.
struct Chunk {
    core::Uuid id, broadcast_id;
    Range range;
    std::int64_t left = 0;              ///< devices that are not settled
    std::optional<core::Time> began_at; ///< start of the first run; unset until a run has left devices
    core::Time read_at;                 ///< current time of the database
};

std::optional<Chunk> find(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id);

/// A device that is not settled.
struct Device {
    std::int64_t id = 0;
    std::string token;
    Carrier carrier{}; ///< the carrier that reaches the device
    DeviceAttempts attempts;
    std::optional<core::Time> not_before{}; ///< see Waiting::not_before
};

/// The devices of the chunk that are still registered, in the order of their ids.
std::vector<Device> devices(pg::Tx& tx, core::ScopeId scope_id, Chunk const& chunk);

/// A device that a run leaves for the next run.
struct Waiting {
    std::int64_t device_id = 0;
    DeviceAttempts attempts;
    /// The earliest time of the next push to this device, even if the chunk runs earlier for other devices.
    /// If nullopt, the next push is made as soon as the carrier's pause ends.
    std::optional<core::Time> not_before{};
};

/// Stores the devices that a run leaves for the next run. Returns false if the chunk was removed.
/// `waits_for_carrier` says whether some of the devices wait for a paused carrier. `began` is the start of
/// this run.
[[nodiscard]] bool keep_waiting(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id,
    std::span<Waiting const> waiting, bool waits_for_carrier, core::Time began);

/// Removes a chunk whose devices are all settled. Returns false if the chunk was removed before.
[[nodiscard]] bool remove(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id);

/// Makes the jobs of all chunks of a broadcast due now.
void wake_all(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& broadcast_id);

/// Makes the jobs of the scope's chunks that wait for a paused carrier due now.
void wake_paused(pg::Tx& tx, core::ScopeId scope_id);

} // namespace notify::broadcast_chunks
