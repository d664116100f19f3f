#pragma once
// Only PushSender uses this header.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_set>
#include <utility>

namespace notify {

/// Devices to which no push may be sent any more, because the user was erased. A run may have read such a
/// device before it was removed, and queue a push to it afterwards. Not thread-safe.
class DroppedDevices {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// How long a device is kept: longer than a run takes from reading its devices to its deadline.
    static constexpr std::chrono::minutes kept{2};
    /// Maximum number of devices. Beyond it, the oldest ones are forgotten.
    static constexpr std::size_t capacity = 100'000;

    void add(std::span<std::int64_t const> device_ids, Time now);

    bool contains(std::int64_t device_id) const noexcept { return ids_.contains(device_id); }

    void forget_old(Time now);

private:
    void forget_oldest();

    std::unordered_set<std::int64_t> ids_;
    std::deque<std::pair<Time, std::int64_t>> by_age_; ///< the same ids, oldest first
};

} // namespace notify
