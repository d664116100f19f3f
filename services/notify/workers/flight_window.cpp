#include "workers/flight_window.hpp"

#include <algorithm>
#include <iterator>

namespace notify {

namespace {

using namespace std::chrono_literals;

/// The time that reading and recording chunks takes, generously.
constexpr std::chrono::duration<double> own_time = 15ms;

/// The devices that may be claimed at a time, if `ended` devices have ended within `span`.
std::size_t devices_of(
    std::size_t ended, std::chrono::duration<double> span, std::chrono::microseconds latency)
{
    double const rate = static_cast<double>(ended) / span.count();
    double const waiting = std::max(static_cast<double>(FlightWindows::least), rate * own_time.count());
    double const in_flight = 1.25 * rate * std::chrono::duration<double>(latency).count();
    return std::min(FlightWindows::most, static_cast<std::size_t>(waiting + in_flight));
}

} // namespace

void FlightWindows::ended(core::TenantId tenant, std::size_t devices, Time now)
{
    if (devices == 0) return;
    std::lock_guard const lock(mutex_);
    forget_old(now);
    auto& window = windows_[tenant];
    window.ended.emplace_back(now, devices);
    window.sum += devices;
}

std::size_t FlightWindows::limit(
    core::TenantId tenant, std::chrono::microseconds latency, std::size_t chunk, Time now)
{
    std::lock_guard const lock(mutex_);
    forget_old(now);
    std::size_t chunks = std::max(least_chunks, least / chunk);
    for (auto const& [each, window] : windows_) {
        if (tenant != core::no_tenant && each != tenant) continue;
        auto const average = std::max<std::size_t>(1, window.sum / window.ended.size());
        chunks = std::max(chunks, devices_of(window.sum, span, latency) / average);
    }
    return chunks;
}

void FlightWindows::forget_old(Time now)
{
    for (auto it = windows_.begin(); it != windows_.end();) {
        auto& [ended, sum] = it->second;
        while (!ended.empty() && now - ended.front().first > span) {
            sum -= ended.front().second;
            ended.pop_front();
        }
        it = ended.empty() ? windows_.erase(it) : std::next(it);
    }
}

} // namespace notify
