#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "domain/broadcast.hpp"
#include "pg/database.hpp"
#include "providers/credential.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The table `broadcast_chunks`: the part of a broadcast that is not settled, in ranges of devices. Every
/// transaction sees the scope it names.
namespace notify::broadcast_chunks {

/// The queue of the jobs that send to a chunk's devices; a job's ref is the chunk's id.
inline constexpr std::string_view queue = "notify.broadcast_chunk";

/// Neighbouring devices.
struct Range {
    std::int64_t first = 0, last = 0; ///< none is below, none above
    std::int64_t devices = 0;         ///< how many there are
};

/// Cuts the devices above `after`, up to `last`, into ranges of `size`, the first `limit` of them; the last
/// one there is may be shorter. In the order of their ids.
std::vector<Range> cut(pg::Tx& tx, std::int64_t scope_id, std::int64_t after, std::int64_t last,
    std::size_t size, std::size_t limit);

/// Inserts a chunk for each range, with its job, due at once.
void insert(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& broadcast_id, std::span<Range const> ranges);

/// A chunk as a run finds it.
struct Chunk {
    core::Uuid id, broadcast_id;
    Range range;
    std::int64_t left = 0;              ///< devices that are not settled
    std::optional<core::Time> began_at; ///< when its first run began; set when that was not its last
    core::Time read_at;                 ///< now, by the database's clock
};

std::optional<Chunk> find(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id);

/// A device that is not settled.
struct Device {
    std::int64_t id = 0;
    std::string token;
    PlatformKind kind{}; ///< who carries to it
    Tries tries;
    std::optional<core::Time> not_before{}; ///< as in Waiting
};

/// Those of the chunk that are registered still, in the order of their ids.
std::vector<Device> devices(pg::Tx& tx, std::int64_t scope_id, Chunk const& chunk);

/// A device that a run leaves for the next one.
struct Waiting {
    std::int64_t device_id = 0;
    Tries tries;
    /// When it is pushed to again, whoever else of the chunk is before that; nullopt: as soon as its platform
    /// is there again.
    std::optional<core::Time> not_before{};
};

/// These devices are left. False: the chunk is gone. `began`: when this run did.
[[nodiscard]] bool keep(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id,
    std::span<Waiting const> waiting, bool waits_for_platform, core::Time began);

/// None are. False: the chunk is gone.
[[nodiscard]] bool remove(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id);

/// Has all of a broadcast's chunks looked at now.
void wake_all(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& broadcast_id);

/// Has those looked at now that wait for a platform of the scope.
void wake_paused(pg::Tx& tx, std::int64_t scope_id);

} // namespace notify::broadcast_chunks
