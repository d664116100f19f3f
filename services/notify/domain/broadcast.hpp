#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace notify {

/// How far a broadcast has been cut into chunks, in the order of the enum. Whether all is done, its counters
/// say.
enum class BroadcastStatus : std::uint8_t { queued, fanning_out, fanned_out };

inline constexpr std::array<std::string_view, 3> broadcast_statuses{"queued", "fanning_out", "fanned_out"};

constexpr std::string_view to_string(BroadcastStatus s) noexcept
{
    return broadcast_statuses[static_cast<std::size_t>(s)];
}

/// The value of that name. Throws std::invalid_argument: names come from the database.
BroadcastStatus parse_broadcast_status(std::string_view name);

/// How many devices have come to which end.
struct Settled {
    std::int64_t sent = 0;    ///< the carrier took it
    std::int64_t failed = 0;  ///< it did not, or the broadcast was cancelled before
    std::int64_t invalid = 0; ///< the token is gone, or the device was unregistered before its turn

    std::int64_t sum() const noexcept { return sent + failed + invalid; }
};

/// A push to every device that a scope had when it was accepted. `created_at` is by the database's clock, the
/// other times are by the service's.
struct Broadcast {
    core::Uuid id;
    std::string template_name;
    std::optional<std::string> dedupe_key;
    BroadcastStatus status = BroadcastStatus::queued;
    std::int64_t enqueued = 0; ///< devices in chunks so far: never less than `settled.sum()`
    Settled settled;
    std::optional<std::string> traceparent; ///< of the request that asked for it
    core::Time created_at;
    std::optional<core::Time> started_at;    ///< when the first devices were enqueued
    std::optional<core::Time> fanned_out_at; ///< when all were that are going to be
    std::optional<core::Time> completed_at;  ///< since when every one of them is settled
    std::optional<core::Time> cancelled_at;
};

inline constexpr std::size_t max_dedupe_key = 200; ///< code points

/// How long a dedupe key belongs to the broadcast that was accepted with it.
inline constexpr std::chrono::hours dedupe_window{24};

/// How often a device was pushed to in vain, and since when.
struct Tries {
    std::int64_t made = 0;
    std::optional<core::Time> first; ///< when the first of them began; set when there was one
};

/// After its first try a device is tried again this often,
inline constexpr std::int64_t max_broadcast_retries = 3;
/// within this long of it. Only a carrier that names a later time itself is waited for longer.
inline constexpr std::chrono::minutes broadcast_retry_window{1};

/// How long a chunk waits for a carrier that takes nothing: a paused platform, a Retry-After, or one that is
/// too slow. From when its first run began.
inline constexpr std::chrono::hours broadcast_patience{1};

/// When a device is pushed to again after `tries`, of which there was one at least; nullopt: no more. The
/// n-th retry waits 4 s * 2^(n-1), the half of which is jitter, so that all three lie within the minute, and
/// not less than the carrier asked for, which counts instead of the minute. `patience_ends`: of its chunk.
/// `entropy` is any random number.
std::optional<core::Time> next_try(Tries const& tries, core::Time now,
    std::optional<std::chrono::seconds> retry_after, core::Time patience_ends,
    std::uint64_t entropy) noexcept;

} // namespace notify
