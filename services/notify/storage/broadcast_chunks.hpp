#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "crypto/keyring.hpp"
#include "domain/broadcast.hpp"
#include "domain/carrier.hpp"
#include "domain/web_subscription.hpp"
#include "pg/tx.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The table `broadcast_chunks`: devices of a broadcast that are not settled, and that one carrier reaches.
/// The transaction must see the scopes.
namespace notify::broadcast_chunks {

/// The queue of the jobs that send the chunks of a carrier. A job's ref is the chunk's id.
constexpr std::string_view queue_of(Carrier carrier) noexcept
{
    constexpr std::array<std::string_view, 3> queues{
        "notify.broadcast_chunk.fcm", "notify.broadcast_chunk.apns", "notify.broadcast_chunk.webpush"};
    return queues[static_cast<std::size_t>(carrier)];
}

/// The queue of chunks that the previous version made, for the devices of all carriers.
inline constexpr std::string_view mixed_queue = "notify.broadcast_chunk";

struct Key {
    core::ScopeId scope_id{};
    core::Uuid id; ///< of the chunk

    friend auto operator<=>(Key const&, Key const&) = default;
};

/// A range of device ids.
struct Range {
    std::int64_t first = 0, last = 0; ///< inclusive
    std::int64_t devices = 0;         ///< number of the carrier's devices in the range
};

/// Ranges of devices that one carrier reaches.
struct Cut {
    struct Part {
        Carrier carrier{};
        Range range;
    };

    std::vector<Part> parts;
    std::int64_t up_to = 0; ///< the last id that was read
    bool all = true;        ///< whether no devices remain
};

/// Splits the next devices with ids above `after`, up to `last`, into ranges of `size` devices of one
/// carrier. Reads at most `size * chunks` devices. Ranges of different carriers may overlap.
Cut cut(pg::Tx& tx, core::ScopeId scope_id, std::int64_t after, std::int64_t last, std::size_t size,
    std::size_t chunks);

/// Inserts a chunk for each part, each with a job that is due at once.
void insert(
    pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& broadcast_id, std::span<Cut::Part const> parts);

/// A chunk at the start of a run. Its devices are the range, and the devices that wait one by one.
struct Chunk {
    Key key;
    core::Uuid broadcast_id;
    Range range;                        ///< devices to which no push was tried
    std::int64_t waiting = 0;           ///< number of devices whose push was tried, and is to be repeated
    std::optional<core::Time> began_at; ///< start of the first run that left devices
    core::Time read_at;                 ///< current time of the database

    std::int64_t left() const noexcept { return range.devices + waiting; }
};

/// The chunks of a carrier, in the order of `keys`; nullopt if a chunk does not exist.
std::vector<std::optional<Chunk>> find(pg::Tx& tx, std::span<Key const> keys);

/// A device that is not settled.
struct Device {
    std::int64_t id = 0;
    std::string token;
    bool in_range = true; ///< whether it belongs to the chunk's range
    DeviceAttempts attempts{};
    std::optional<core::Time> not_before{}; ///< see Waiting::not_before
    /// For Web Push: the subscription; null if it cannot be decrypted.
    std::shared_ptr<WebSubscription const> web{};
};

/// The devices of each chunk that are still registered, in the order of their ids. `keyring` decrypts the
/// subscriptions for Web Push.
std::vector<std::vector<Device>> devices(
    pg::Tx& tx, Carrier carrier, std::span<Chunk const> chunks, crypto::Keyring const& keyring);

/// A device that a run leaves for the next run.
struct Waiting {
    std::int64_t device_id = 0;
    DeviceAttempts attempts;
    /// The earliest time of the next push to this device, even if the chunk runs earlier for other devices.
    /// If nullopt, the next push is made as soon as the carrier's pause ends.
    std::optional<core::Time> not_before{};
};

/// What a run leaves of a chunk.
struct Rest {
    Key key;
    Range range; ///< may be empty
    std::span<Waiting const> waiting;
    bool waits_for_credential = false; ///< whether devices wait for the end of a pause of the carrier
    core::Time began;                  ///< start of this run
};

/// Stores the rests of chunks. Returns the chunks that exist.
std::set<Key> keep(pg::Tx& tx, std::span<Rest const> rests);

/// Records that a run of these chunks began at `began`, and left them unchanged.
void begin(pg::Tx& tx, std::span<Key const> keys, core::Time began);

/// Removes chunks whose devices are all settled. Returns the chunks that existed.
std::set<Key> remove(pg::Tx& tx, std::span<Key const> keys);

/// Makes the jobs of all chunks of a broadcast due now.
void wake_all(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& broadcast_id);

/// Makes the jobs of the scope's chunks that wait for this carrier due now.
void wake_paused(pg::Tx& tx, core::ScopeId scope_id, Carrier carrier);

/// A chunk that was replaced.
struct Split {
    core::Uuid broadcast_id;
    std::int64_t unregistered = 0; ///< number of its devices that are not registered any more
};

/// Replaces a chunk that the previous version made by one chunk per carrier. Returns nullopt if there is no
/// such chunk.
std::optional<Split> split_mixed(pg::Tx& tx, Key const& key);

} // namespace notify::broadcast_chunks
