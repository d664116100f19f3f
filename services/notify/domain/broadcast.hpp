#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/id.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace notify {

using core::to_string;

/// How much of a broadcast has been split into chunks. Whether the broadcast is complete follows from its
/// counters.
enum class BroadcastStatus : std::uint8_t { queued, fanning_out, fanned_out };

constexpr auto enum_names(BroadcastStatus)
{
    return std::to_array<std::string_view>({"queued", "fanning_out", "fanned_out"});
}

/// The numbers of settled devices of a broadcast, by outcome. A device is settled when its outcome is final.
struct Settled {
    std::int64_t sent = 0;    ///< the carrier accepted the push
    std::int64_t failed = 0;  ///< not accepted, or the broadcast was cancelled before the push
    std::int64_t invalid = 0; ///< the token is gone, or was unregistered before the push

    std::int64_t sum() const noexcept { return sent + failed + invalid; }

    Settled& operator+=(Settled const& more) noexcept
    {
        sent += more.sent;
        failed += more.failed;
        invalid += more.invalid;
        return *this;
    }
};

/// A push to every device that the scope had when the broadcast was accepted. `created_at` comes from the
/// database's clock, the other times come from the service's clock.
struct Broadcast {
    core::Uuid id;
    std::string template_name;
    std::optional<std::string> dedupe_key;
    BroadcastStatus status = BroadcastStatus::queued;
    std::int64_t enqueued = 0; ///< devices in chunks so far; at least `settled.sum()`
    Settled settled;
    std::optional<std::string> traceparent; ///< of the request that created the broadcast
    core::Time created_at;
    std::optional<core::Time> started_at;    ///< when the first devices were enqueued
    std::optional<core::Time> fanned_out_at; ///< when the last devices were enqueued
    std::optional<core::Time> completed_at;  ///< when every enqueued device was settled
    std::optional<core::Time> cancelled_at;
};

/// The number of devices of the next chunks of a broadcast with `enqueued` devices in chunks. `least`: the
/// configured size. Chunks grow with the broadcast up to four times `least`, because a large chunk costs less
/// per device. After a crash, the devices of the chunks in flight get the push again: a few chunks of this
/// size are at most 2 % of the broadcast.
constexpr std::size_t chunk_size(std::size_t least, std::int64_t enqueued) noexcept
{
    return std::clamp(static_cast<std::size_t>(enqueued) / 200, least, 4 * least);
}

inline constexpr std::size_t max_dedupe_key = 200; ///< code points

/// How long a dedupe key is reserved for the broadcast that was accepted with it.
inline constexpr std::chrono::hours dedupe_window{24};

/// The failed attempts to push to one device.
struct DeviceAttempts {
    std::int64_t made = 0;
    std::optional<core::Time> first; ///< when the first attempt was made; set if `made` > 0
};

/// Maximum number of retries per device, after the first attempt.
inline constexpr std::int64_t max_broadcast_retries = 3;
/// Retries are made within this time after the first attempt. Only a `Retry-After` of the carrier permits a
/// later retry.
inline constexpr std::chrono::minutes broadcast_retry_window{1};

/// How long a chunk waits for a carrier that accepts no pushes, counted from the start of the chunk's first
/// run. Reasons to wait: the carrier is paused, it sent Retry-After, or the carrier is too slow.
inline constexpr std::chrono::hours chunk_carrier_wait{1};

/// The time of the next attempt to push to a device, after the failed attempts `attempts` (at least one).
/// Returns nullopt if the device gets no further attempt. The n-th retry waits a random time from 50 to 100 %
/// of 4 s * 2^(n-1). So all three retries lie within `broadcast_retry_window`. A retry is not made before
/// `retry_after` has passed. With `retry_after`, the time limit is the later of the end of the window and
/// `wait_end`. `wait_end` is the time until which the chunk waits for the carrier. `entropy` is any random
/// number.
std::optional<core::Time> next_device_attempt(DeviceAttempts const& attempts, core::Time now,
    std::optional<std::chrono::seconds> retry_after, core::Time wait_end, std::uint64_t entropy) noexcept;

} // namespace notify
