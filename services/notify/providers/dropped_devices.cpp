#include "providers/dropped_devices.hpp"

namespace notify {

void DroppedDevices::add(std::span<std::int64_t const> device_ids, Time now)
{
    forget_old(now);
    for (std::int64_t const id : device_ids) {
        if (!ids_.insert(id).second) continue;
        by_age_.emplace_back(now, id);
        if (by_age_.size() > capacity) forget_oldest();
    }
}

void DroppedDevices::forget_old(Time now)
{
    while (!by_age_.empty() && now - by_age_.front().first > kept)
        forget_oldest();
}

void DroppedDevices::forget_oldest()
{
    ids_.erase(by_age_.front().second);
    by_age_.pop_front();
}

} // namespace notify
